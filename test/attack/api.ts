import type { Target } from './attack.ts';

/** Asks the API with the attacker's key, and throws if it refuses. */
export async function callApi({ httpPort, key }: Target, path: string, body: object): Promise<unknown> {
  const reply = await fetch(`http://127.0.0.1:${httpPort}${path}`, {
    method: 'POST',
    headers: { 'X-Api-Key': key },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${path} was answered ${reply.status}: ${await reply.text()}`);
  return reply.json();
}
