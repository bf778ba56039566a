// @ts-nocheck: a worker has other globals than the pages, whose types are known here.
// Shows the messages of the service while no page is open. It is no module and is not built: browsers compare its bytes.

self.addEventListener('push', (event) => {
  const { title, body, url, tag, down, buttons = [] } = event.data?.json() ?? { title: 'Tocsin' };
  // A later message about the same check replaces the earlier one.
  const shown = self.registration.showNotification(title, {
    ...{ body, tag, renotify: true, data: { url, buttons } },
    actions: buttons.map(({ verb, label }) => ({ action: verb, title: label })),
    ...{ icon: 'app-192.png', badge: 'app-badge.png' },
  });
  // The icon of the installed app shows how many checks of the project are down. A test says nothing of that.
  const badge = down === undefined ? undefined : self.navigator.setAppBadge?.(down).catch(() => {});
  event.waitUntil(Promise.all([shown, badge]));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url, buttons = [] } = event.notification.data ?? {};
  const button = buttons.find(({ verb }) => verb === event.action);
  if (button) event.waitUntil(press(button.url, event.notification));
  else if (url) event.waitUntil(show(url));
});

// Only a worker that controls a window can lead it elsewhere.
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

// An open window of the app goes to the check. Without one, and for another site, there is a new window.
async function show(url) {
  const isOwn = url.startsWith(self.registration.scope);
  const [open] = isOwn ? await self.clients.matchAll({ type: 'window', includeUncontrolled: true }) : [];
  if (open === undefined) return self.clients.openWindow(url);
  await open.focus();
  return open.navigate(url).catch(() => self.clients.openWindow(url));
}

// Acts without a window, and shows the answer in the place of the message. If that fails, the page of the button opens.
async function press(address, { title, tag, data: { url } }) {
  try {
    const reply = await fetch(address, { method: 'POST', headers: { accept: 'application/json' } });
    const { text } = await reply.json();
    if (typeof text !== 'string') throw new Error(`status ${reply.status}`);
    await self.registration.showNotification(title, {
      ...{ body: text, tag, data: { url } },
      ...{ icon: 'app-192.png', badge: 'app-badge.png' },
    });
  } catch {
    await self.clients.openWindow(address);
  }
}
