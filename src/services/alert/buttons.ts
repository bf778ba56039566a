import {
  BUTTON_LABELS,
  BUTTON_SPAN,
  type Button,
  type ButtonChoice,
  type ButtonVerb,
  isManyVerb,
  MANY_LABELS,
  verbsOf,
} from '../../domain/alert/button.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Vault } from '../../lib/vault.ts';
import { buttonAddress } from '../../wire/site.ts';
import { isTimedToken, type Signed, timedToken } from './timed-token.ts';

// The address of a button is the permission to use it. It is good for one message, one verb and a week.

/** What the message is about: a check, nothing, or several checks. */
export type ButtonKind = 'message' | 'test' | 'many';

const PURPOSES: Readonly<Record<ButtonKind, string>> = {
  message: 'button',
  /** It proves that somebody can use buttons, and changes nothing. */
  test: 'test button',
  many: 'button of many',
};

/** Names one button of one message. */
export interface ButtonRef {
  /** The message about several checks, or the delivery about one. */
  readonly deliveryUuid: string;
  /** May be any text. */
  readonly verb: string;
  readonly token: string;
  /** Digits of the signature in the token. Absent: all. */
  readonly digits?: number;
}

/** The message that gets buttons. */
export interface ButtonedMessage {
  readonly deliveryUuid: string;
  readonly kind: ButtonKind;
  readonly now: Instant;
}

/** The buttons of a message. */
export function buttonsOf(
  vault: Pick<Vault, 'sign'>,
  { deliveryUuid, kind, now }: ButtonedMessage,
  choice: ButtonChoice,
  root: string,
): Button[] {
  const isAbleTo = (verb: ButtonVerb) => kind !== 'many' || isManyVerb(verb);
  return verbsOf(choice)
    .filter(isAbleTo)
    .map((verb) => {
      const token = timedToken(vault, signed(kind, { deliveryUuid, verb }), now);
      const label = kind === 'many' && isManyVerb(verb) ? MANY_LABELS[verb] : BUTTON_LABELS[verb];
      return { verb, label, token, url: buttonAddress(root, deliveryUuid, verb, token) };
    });
}

/** What the button belongs to. Null if it was made up or has expired. Asks no database. */
export function buttonKind(vault: Pick<Vault, 'isSigned'>, ref: ButtonRef, now: Instant): ButtonKind | null {
  const rule = { now, span: BUTTON_SPAN, ...(ref.digits !== undefined && { digits: ref.digits }) };
  const kinds: readonly ButtonKind[] = ['message', 'test', 'many'];
  return kinds.find((kind) => isTimedToken(vault, ref.token, signed(kind, ref), rule)) ?? null;
}

function signed(kind: ButtonKind, { deliveryUuid, verb }: Pick<ButtonRef, 'deliveryUuid' | 'verb'>): Signed {
  return { purpose: PURPOSES[kind], subject: (time) => `${deliveryUuid} ${verb} ${time}` };
}
