(() => {
  "use strict";
  // Errors are kept in the document, where a test finds them.
  const root = document.documentElement;
  const keep = (text) => { root.dataset.errors = (root.dataset.errors || "") + text + "\n"; };
  window.addEventListener("error", (event) => keep(event.message));
  window.addEventListener("unhandledrejection", (event) => keep(String(event.reason)));
  document.addEventListener("securitypolicyviolation", (event) => keep("blocked " + event.blockedURI));
  const asked = new URLSearchParams(location.search).get("theme");
  let kept = null;
  try { kept = localStorage.getItem("theme"); } catch (_) { /* no storage for files here */ }
  const theme = asked || kept;
  if (theme === "light" || theme === "dark") { root.dataset.theme = theme; }
})();
