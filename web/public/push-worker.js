// @ts-nocheck: a worker has other globals than the pages, whose types are known here.
// Shows the messages of the service while no page is open. It is no module and is not built: browsers compare its bytes.

self.addEventListener('push', (event) => {
  const { title, body, url, tag } = event.data?.json() ?? { title: 'Tocsin' };
  // A later message about the same check replaces the earlier one.
  event.waitUntil(self.registration.showNotification(title, { body, tag, renotify: true, data: { url } }));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url } = event.notification.data ?? {};
  if (url) event.waitUntil(self.clients.openWindow(url));
});
