//! Vector instructions behind safe functions, chosen at run time.
