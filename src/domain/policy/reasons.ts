/** What can keep an outage from being told, in the order in which it is asked. The first that is shut names the reason. */
export const GATES = ['quiet', 'snoozed', 'acknowledged', 'parent', 'bad_runs', 'wait', 'hours'] as const;

export type GateName = (typeof GATES)[number];

/** Why a channel is told. */
export const TOLD_REASONS = ['assigned', 'step', 'again', 'further_failure', 'together', 'instead'] as const;

export type ToldReason = (typeof TOLD_REASONS)[number];

/** Why a channel is not told, or not yet. */
export const WITHHELD_REASONS = [
  'not_assigned',
  'event_not_wanted',
  'off',
  'unverified',
  'channel_hours',
  'already_told',
  'message_open',
  'again_limit',
  ...GATES,
] as const;

export type WithheldBecause = (typeof WITHHELD_REASONS)[number];
