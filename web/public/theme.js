// Runs before the first paint, so that nobody sees the wrong theme for a moment.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    let chosen = 'system';
    try {
      chosen = localStorage.getItem('tocsin.theme') ?? 'system';
    } catch {
      // Storage may be forbidden. Then the theme follows the system.
    }
    const isDark = chosen === 'dark' || (chosen !== 'light' && system.matches);
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  };
  apply();
  system.addEventListener('change', apply);
  addEventListener('storage', apply);
  addEventListener('tocsin:theme', apply);
})();
