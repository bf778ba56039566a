/** Conveniences of the documentation. Every page works without them. */
export const DOCS_SCRIPT = `for (const box of document.querySelectorAll('.code')) {
  if (!navigator.clipboard) break;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(box.querySelector('code').textContent);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Select and copy it';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  box.append(button);
}

/* What is typed is answered by the page itself, of which one part is replaced. */
const follow = (form, url, part) => {
  const before = document.querySelector(part);
  let latest = 0;
  let waiting;
  const load = async () => {
    const mine = ++latest;
    const target = url(new URLSearchParams(new FormData(form)));
    if (target === null) {
      document.querySelector(part).replaceWith(before);
      return;
    }
    try {
      const reply = await fetch(target);
      if (!reply.ok || mine !== latest) return;
      const next = new DOMParser().parseFromString(await reply.text(), 'text/html');
      if (mine !== latest) return;
      document.querySelector(part).replaceWith(next.querySelector(part));
    } catch {}
  };
  form.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(load, 150);
  });
  return load;
};

const search = document.querySelector('form[role="search"]');
follow(search, (asked) => (asked.get('q').trim().length < 2 ? null : search.action + '?' + asked), '#content');

const tester = document.querySelector('form.tester');
if (tester !== null) {
  const zone = tester.elements.namedItem('tz');
  if (!location.search) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || zone.value;
  const load = follow(tester, (asked) => tester.action + '?' + asked, '#trial');
  tester.addEventListener('submit', (event) => {
    event.preventDefault();
    void load();
  });
  for (const link of document.querySelectorAll('a.try'))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      tester.elements.namedItem('schedule').value = new URL(link.href).searchParams.get('schedule');
      void load();
      tester.scrollIntoView({ block: 'nearest' });
    });
  if (!location.search) void load();
}
`;
