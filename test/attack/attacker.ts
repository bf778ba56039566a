import { parentPort, workerData } from 'node:worker_threads';
import type { Target } from './attack.ts';
import { ATTACKS } from './attacks.ts';

/** The order to the thread. */
export interface Order {
  readonly attack: string;
  readonly amount: number;
  readonly target: Target;
  /** The address from which the connections come. */
  readonly from: string;
}

// In a thread of its own: how long the innocent wait must not depend on how busy the attacker is.
const { attack: name, amount, target }: Order = workerData;
const attack = ATTACKS.find((one) => one.name === name);
if (attack === undefined) throw new Error(`there is no attack "${name}"`);
await attack.run(target, amount);
parentPort?.postMessage('sent');
// The connections that were left open end with the thread, which its parent ends.
setInterval(() => undefined, 60_000);
