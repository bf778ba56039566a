import type { Instant } from '../lib/instant.ts';

/** A configured destination of alerts. Users and the provisioning file say "integration". */
export interface Channel {
  id: number;
  uuid: string;
  projectId: number;
  kind: string;
  /** May be empty. */
  name: string;
  /** The settings of the kind. The kind itself defines their form. */
  settings: unknown;
  /** False while an e-mail address has not been confirmed. */
  verified: boolean;
  disabled: boolean;
  createdAt: Instant;
}

export type NewChannel = Omit<Channel, 'id'>;
