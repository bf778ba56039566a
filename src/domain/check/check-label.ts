import { oneLine } from '../../lib/text/one-line.ts';

/** The name of a check in messages. Never the UUID: with it anybody can ping. */
export function checkLabel(name: string): string {
  return oneLine(name) || 'unnamed check';
}
