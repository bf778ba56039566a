import type { Instant } from '../../lib/instant.ts';
import type { GateName } from './reasons.ts';

export interface GateState {
  readonly gate: GateName;
  readonly isOpen: boolean;
  /** When a shut gate opens, or is asked again; when an open one has opened. Null: nobody knows. */
  readonly at: Instant | null;
}

/** A check without which the check cannot work. */
export interface Parent {
  readonly name: string;
  /** Down, told or not. */
  readonly isDown: boolean;
  /** Its deadline while it is late. Else null. */
  readonly lateUntil: Instant | null;
  /** When it came up last after being down. */
  readonly upAt: Instant | null;
}
