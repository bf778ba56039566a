import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { createEmptyPlace, forEachEngine, openTestDriver } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { type Service, startService } from './service.ts';

const CHECKS = 12;
/** So many are told one by one. */
const ABOVE = 2;

/** A chat that keeps what it gets. `onMany` decides what becomes of a message about many; true: it is answered. */
async function startChat() {
  const singles: string[] = [];
  const many: string[] = [];
  const chat = { singles, many, onMany: (_answer: () => Promise<void>): void => undefined };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = async () => {
      response.writeHead(200).end('ok');
      await once(response, 'close');
    };
    if (!body.includes('checks down')) {
      singles.push(body);
      return answer();
    }
    many.push(body);
    chat.onMany(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    chat,
    project: `    integrations:
      - { kind: slack, name: Chat, url: "http://127.0.0.1:${address.port}/", together_above: ${ABOVE}, together_seconds: 10 }
`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

suite('a service that is killed while it has one message to tell about many checks', {
  concurrency: true,
}, () => {
  forEachEngine((engine) => {
    test('tells it with the same checks again, and settles all of their rows alike', async () => {
      await using folder = await temporaryFolder();
      await using place = await createEmptyPlace(engine);
      await using started = await startChat();
      const { chat, project } = started;
      const start = () => startService(folder.path, place.database, { project });
      const kill = (service: Service) => service.process.signal('SIGKILL');

      {
        await using service = await start();
        const names = Array.from({ length: CHECKS }, (_, index) => `web${index + 1}`);
        const checks = await Promise.all(names.map((name) => service.createCheck(name)));
        for (const { uuid } of checks) assert.ok(await service.ping(uuid, '/fail'));
        // While it is collected.
        kill(service);
      }
      {
        await using service = await start();
        // While it is sent: the chat has it, and does not answer.
        chat.onMany = () => kill(service);
        await until('the chat has the message', () => chat.many.length === 1);
      }
      {
        await using service = await start();
        // After it was sent: the chat has answered, and the answer may be recorded or not.
        chat.onMany = (answer) => void answer().then(() => kill(service));
        await until('the chat has the message again', () => chat.many.length === 2);
      }
      chat.onMany = (answer) => void answer();
      await using service = await start();
      await using driver = await openTestDriver(place.database);
      const states = (table: string) =>
        driver.all<{ state: string; attempts: number; count: number }>(
          `select state, attempt_count as attempts, count(*) as count from ${table}
            where ${table === 'deliveries' ? 'message_id is not null' : "kind = 'together'"}
            group by state, attempt_count`,
          [],
        );
      let messages = await states('channel_messages');
      await until('the message is delivered', async () => {
        messages = await states('channel_messages');
        return messages.every(({ state }) => state === 'delivered');
      });

      const rows = await states('deliveries');
      assert.deepEqual(
        rows.map(({ state, attempts, count }) => [state, attempts, Number(count)]),
        [['delivered', messages[0]?.attempts, CHECKS - ABOVE]],
      );
      assert.equal(messages.length, 1);
      assert.equal(new Set(chat.many).size, 1, 'each time it is the same message');
      assert.match(chat.many[0] ?? '', /10 checks down/);
      assert.ok(chat.many.length <= 3, 'and it comes no more once it was recorded');
      assert.ok(await service.ping((await service.checks())[0]?.uuid ?? ''));
    });
  });
});
