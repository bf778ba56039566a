import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port for a server that starts later, or stops and starts again. It lies below the range that outgoing connections and
 * servers without a port of their own draw from: one of them might take it meanwhile.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  const probe = createServer();
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening');
    return port;
  } catch {
    return await freePort();
  } finally {
    probe.close();
  }
}
