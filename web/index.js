// A card for each page.
const pages = await (await fetch('pages.json')).json();
const stored = localStorage.getItem('theme');
if (stored) document.documentElement.dataset.theme = stored;
const cards = document.querySelector('.cards');
for (const page of pages) {
  const card = Object.assign(document.createElement('a'), { className: 'card', href: `pages/${page.name}.html` });
  const text = document.createElement('div');
  text.append(
    Object.assign(document.createElement('h2'), { textContent: page.title }),
    Object.assign(document.createElement('p'), { textContent: page.sentence }),
  );
  const picture = Object.assign(document.createElement('img'), { src: `thumbnails/${page.name}.jpg`, alt: '', loading: 'lazy' });
  // Pictures come from the test; without them a card has only words.
  picture.onerror = () => picture.remove();
  card.append(picture, text);
  cards.append(card);
}
window.ready = true;
