// Runs before the first paint, so that nobody sees the wrong theme for a moment.
(() => {
  // The colours of the canvas, for the bars that the system draws around the page.
  const canvas = { light: '#f6f5f2', dark: '#0b0d10' };
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    let chosen = 'system';
    try {
      chosen = localStorage.getItem('tocsin.theme') ?? 'system';
    } catch {
      // Storage may be forbidden. Then the theme follows the system.
    }
    const isDark = chosen === 'dark' || (chosen !== 'light' && system.matches);
    const theme = isDark ? 'dark' : 'light';
    document.documentElement.dataset.theme = theme;
    // Both, because a person may have chosen another theme than the system has.
    for (const bar of document.querySelectorAll('meta[name="theme-color"]'))
      bar.setAttribute('content', canvas[theme]);
  };
  apply();
  system.addEventListener('change', apply);
  addEventListener('storage', apply);
  addEventListener('tocsin:theme', apply);
})();
