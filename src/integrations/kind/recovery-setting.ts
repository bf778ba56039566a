import { oneOf } from '../../lib/fields.ts';
import type { Setting } from './setting.ts';

export const RECOVERY_ACTS = ['nothing', 'comment', 'close'] as const;

/** The act at the end of an outage on the kind's object for it, such as an issue. */
export type RecoveryAct = (typeof RECOVERY_ACTS)[number];

/** `thing` is the kind's object for an outage, and `end` the provider's word for closing it. */
export function recoverySetting(thing: string, end: string): Setting<RecoveryAct> {
  return {
    label: 'When the check comes up',
    help: `What happens to the ${thing} of the outage.`,
    field: oneOf(RECOVERY_ACTS, `What happens to the ${thing} when the check comes up.`),
    control: 'choice',
    default: 'nothing',
    choices: [
      { value: 'nothing', label: 'Nothing' },
      { value: 'comment', label: 'Add a comment' },
      { value: 'close', label: `Add a comment and ${end} it` },
    ],
  };
}
