import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

const SCOPE = 'https://tocsin.example.org/watch/';
const CHECK = `${SCOPE}checks/1/details/`;
const ACKNOWLEDGE = `${SCOPE}buttons/1/acknowledge/token/`;
const BUTTONS = [
  { verb: 'acknowledge', label: 'Acknowledge', url: ACKNOWLEDGE },
  { verb: 'snooze', label: 'Snooze 1 h', url: `${SCOPE}buttons/1/snooze/token/` },
];

interface Window {
  focus(): Promise<void>;
  navigate(url: string): Promise<void>;
}

/** The worker in a browser with these windows of the app. Notes what it does. */
async function startWorker(
  windows: 'none' | 'one' | 'one that it does not control',
  answer: () => Promise<unknown> = async () => assert.fail('nothing is asked'),
) {
  const asked: object[] = [];
  const shown: object[] = [];
  const done: (string | number)[] = [];
  const listeners = new Map<string, (event: object) => void>();
  const open: Window = {
    focus: async () => void done.push('focus'),
    navigate: async (url) => {
      if (windows !== 'one') throw new TypeError('not controlled');
      done.push(`navigate ${url}`);
    },
  };
  const self = {
    addEventListener: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
    registration: {
      scope: SCOPE,
      showNotification: async (title: string, options: object) => {
        done.push(title);
        // It comes from another realm.
        shown.push(JSON.parse(JSON.stringify(options)));
      },
    },
    navigator: { setAppBadge: async (count: number) => void done.push(count) },
    clients: {
      matchAll: async () => (windows === 'none' ? [] : [open]),
      openWindow: async (url: string) => void done.push(`open ${url}`),
      claim: async () => undefined,
    },
  };
  runInContext(
    await readFile(new URL('../public/push-worker.js', import.meta.url), 'utf8'),
    createContext({
      self,
      fetch: async (url: string, { method, headers }: { method: string; headers: { accept: string } }) => {
        asked.push({ url, method, accept: headers.accept });
        return { status: 200, json: answer };
      },
    }),
  );
  const raise = async (name: string, event: object) => {
    let work: Promise<unknown> = Promise.resolve();
    listeners.get(name)?.({ ...event, waitUntil: (promise: Promise<unknown>) => (work = promise) });
    await work;
  };
  return {
    ...{ done, asked, shown },
    push: (message: object) => raise('push', { data: { json: () => message } }),
    click: (url: string) =>
      raise('notificationclick', { notification: { close: () => undefined, data: { url } } }),
    press: (action: string) => {
      const data = { url: CHECK, buttons: BUTTONS };
      const notification = { title: 'a is DOWN', tag: 'a', close: () => undefined, data };
      return raise('notificationclick', { action, notification });
    },
  };
}

test('a notification leads the open window of the app to the check', async () => {
  const worker = await startWorker('one');

  await worker.click(CHECK);

  assert.deepEqual(worker.done, ['focus', `navigate ${CHECK}`]);
});

test('without a window, or with one that cannot be led, it opens another', async () => {
  const alone = await startWorker('none');
  const uncontrolled = await startWorker('one that it does not control');

  await alone.click(CHECK);
  await uncontrolled.click(CHECK);

  assert.deepEqual(alone.done, [`open ${CHECK}`]);
  assert.deepEqual(uncontrolled.done, ['focus', `open ${CHECK}`]);
});

test('another site never takes the place of the app', async () => {
  const worker = await startWorker('one');

  await worker.click('https://wiki.example.org/backup');

  assert.deepEqual(worker.done, ['open https://wiki.example.org/backup']);
});

test('a message sets the number on the icon, the last one to zero, and a test leaves it alone', async () => {
  const worker = await startWorker('none');

  await worker.push({ title: 'a is DOWN', down: 2 });
  await worker.push({ title: 'a is UP', down: 0 });
  await worker.push({ title: 'A test' });

  assert.deepEqual(worker.done, ['a is DOWN', 2, 'a is UP', 0, 'A test']);
});

test('a message offers its buttons, and one without any offers none', async () => {
  const worker = await startWorker('none');

  await worker.push({ title: 'a is DOWN', url: CHECK, buttons: BUTTONS });
  await worker.push({ title: 'a is UP', url: CHECK });

  assert.deepEqual(
    worker.shown.map((options) => Reflect.get(options, 'actions')),
    [
      [
        { action: 'acknowledge', title: 'Acknowledge' },
        { action: 'snooze', title: 'Snooze 1 h' },
      ],
      [],
    ],
  );
});

test('a button acts without a window, and the answer takes the place of the message', async () => {
  const worker = await startWorker('one', async () => ({ text: 'Acknowledged by a phone.' }));

  await worker.press('acknowledge');

  assert.deepEqual(worker.asked, [{ url: ACKNOWLEDGE, method: 'POST', accept: 'application/json' }]);
  assert.deepEqual(worker.done, ['a is DOWN']);
  const [{ body, tag, data }] = worker.shown as [{ body: string; tag: string; data: object }];
  assert.deepEqual([body, tag, data], ['Acknowledged by a phone.', 'a', { url: CHECK }]);
});

test('a button that cannot act opens its page', async () => {
  const offline = async () => {
    throw new TypeError('Failed to fetch');
  };
  for (const answer of [offline, async () => ({ error: 'too many requests from this address' })]) {
    const worker = await startWorker('none', answer);

    await worker.press('acknowledge');

    assert.deepEqual(worker.done, [`open ${ACKNOWLEDGE}`]);
  }
});

test('where there are no buttons, a tap opens the check', async () => {
  const worker = await startWorker('none');

  await worker.press('');

  assert.deepEqual(worker.done, [`open ${CHECK}`]);
});
