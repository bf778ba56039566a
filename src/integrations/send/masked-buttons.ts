import { BUTTON_LABELS, type Button, type ButtonVerb } from '../../domain/alert/button.ts';
import { buttonAddress } from '../../wire/site.ts';
import { MASK } from '../kind/setting.ts';

/** Buttons as a preview shows them: their addresses lead nowhere. */
export function maskedButtons(root: string, verbs: readonly ButtonVerb[]): Button[] {
  return verbs.map((verb) => ({
    verb,
    label: BUTTON_LABELS[verb],
    url: buttonAddress(root, MASK, verb, MASK),
    token: MASK,
  }));
}
