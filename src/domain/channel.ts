import type { Instant } from '../lib/instant.ts';

/** A configured destination of alerts. Users and the provisioning file say "integration". */
export interface Channel {
  id: number;
  uuid: string;
  projectId: number;
  kind: string;
  /** May be empty. */
  name: string;
  /** What the kind needs to deliver, as the kind's own schema has it. */
  settings: unknown;
  /** False while an e-mail address has not been confirmed. */
  verified: boolean;
  disabled: boolean;
  createdAt: Instant;
}

export type NewChannel = Omit<Channel, 'id'>;
