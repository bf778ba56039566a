import { ROOT } from '../../app/api.ts';
import { m } from '../../messages/index.ts';

/** The data with which the server reaches this browser. */
export interface Subscription {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** Whether this browser can show notifications of this page. It needs https. */
export function mayBeTold(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
}

/** Whether the page is opened from its own icon. */
export function isInstalled(): boolean {
  return matchMedia('(display-mode: standalone)').matches;
}

/** Asks the person, and subscribes. */
export async function subscribe(serverKey: string): Promise<Subscription> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error(m.integrations.push.denied);
  // The file is beside the pages, so that it may serve all of them.
  await navigator.serviceWorker.register(`${ROOT}/push-worker.js`);
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: serverKey };
  // Another instance at this address may have had another key.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe(options).catch(({ message }: DOMException) => {
    throw new Error(m.integrations.push.unsubscribed(message));
  });
  const { endpoint, keys } = subscription.toJSON();
  if (endpoint === undefined || keys?.p256dh === undefined || keys.auth === undefined) {
    throw new Error(m.integrations.push.failed);
  }
  return { endpoint, p256dh: keys.p256dh, auth: keys.auth };
}
