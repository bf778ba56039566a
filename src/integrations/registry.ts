import { Fault } from '../lib/fields.ts';
import { firstCharacters } from '../lib/text/excerpt.ts';
import { oneLine } from '../lib/text/one-line.ts';
import { email } from './email/email.ts';
import type { AlertEvent, ChannelKind, Direction, Integration, Ports, Verdict } from './integration.ts';
import { failed } from './verdict.ts';
import { webhook } from './webhook/webhook.ts';

export type { ChannelKind } from './integration.ts';

/** The code for every kind of channel. One that is missing here fails the type check. */
export const integrations = { email, webhook } satisfies Record<ChannelKind, Integration<unknown>>;

/** Characters of an error that are kept. */
const LONGEST_ERROR = 200;

export function isChannelKind(kind: string): kind is ChannelKind {
  return Object.hasOwn(integrations, kind);
}

/**
 * Whether a stored channel is told of changes in that direction. One that cannot be understood is: the try
 * fails then, and its owner learns why.
 */
export function wantsAlert(kind: string, settings: unknown, to: Direction): boolean {
  const restored = restore(kind, settings);
  return restored instanceof Fault || restored.wants(to);
}

/** What the channel's messages share with others that go the same way: its host, or else its kind. */
export function destinationOf(kind: string, settings: unknown, to: Direction): string {
  const restored = restore(kind, settings);
  return restored instanceof Fault ? kind : `${kind} ${restored.destination(to)}`;
}

/** Whether messages of that kind quote the body of the last ping. */
export function needsBody(kind: string): boolean {
  return isChannelKind(kind) && integrations[kind].needsBody;
}

/**
 * Tells a stored channel of an event. Never throws: whatever goes wrong in one channel is its own failure, and
 * no reason to skip the others.
 */
export async function sendAlert(
  kind: string,
  settings: unknown,
  event: AlertEvent,
  ports: Ports,
): Promise<Verdict> {
  try {
    const restored = restore(kind, settings);
    const verdict = restored instanceof Fault ? failed(restored.reason) : await restored.send(event, ports);
    return verdict.ok ? verdict : { ...verdict, error: shortened(verdict.error) };
  } catch (error) {
    return failed(shortened(`Sending failed: ${error instanceof Error ? error.message : 'unknown error'}`));
  }
}

/** A kind together with settings of its own. */
interface Restored {
  wants(to: Direction): boolean;
  destination(to: Direction): string;
  send(event: AlertEvent, ports: Ports): Promise<Verdict>;
}

/** Neither fault is permanent: a newer version of the program may run beside this one, and understand both. */
function restore(kind: string, settings: unknown): Restored | Fault {
  if (!isChannelKind(kind)) return new Fault(`Channels of the kind "${kind}" are not supported`);
  if (!isRecord(settings)) return new Fault('Invalid settings: not a mapping');
  // Which settings these are only the kind knows, and `bind` lets nobody else see them.
  const integration: Integration<unknown> = integrations[kind];
  return bind(integration, settings);
}

function bind<Settings>(
  integration: Integration<Settings>,
  stored: Readonly<Record<string, unknown>>,
): Restored | Fault {
  const settings = integration.readStored(stored);
  if (settings instanceof Fault) return new Fault(`Invalid settings: ${settings.reason}`);
  return {
    wants: (to) => integration.wants(settings, to),
    destination: (to) => integration.destination(settings, to),
    send: (event, ports) => integration.send(event, settings, ports),
  };
}

function shortened(error: string): string {
  return firstCharacters(oneLine(error), LONGEST_ERROR);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
