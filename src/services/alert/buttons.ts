import { BUTTON_LABELS, type Button, type ButtonChoice, verbsOf } from '../../domain/alert/button.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { Vault } from '../../lib/vault.ts';
import { buttonAddress } from '../../wire/site.ts';
import { isTimedToken, type Signed, timedToken } from './timed-token.ts';

// The address of a button is the permission to use it. It is good for one message, one verb and a week.

const BUTTON = 'button';
/** A button of a test proves that somebody can use buttons, and changes nothing. */
const TEST_BUTTON = 'test button';
const BUTTON_SPAN = seconds(7 * 86_400);

/** Names one button of one message. */
export interface ButtonRef {
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
  readonly isTest: boolean;
  readonly now: Instant;
}

/** The buttons of a message. */
export function buttonsOf(
  vault: Pick<Vault, 'sign'>,
  { deliveryUuid, isTest, now }: ButtonedMessage,
  choice: ButtonChoice,
  root: string,
): Button[] {
  return verbsOf(choice).map((verb) => {
    const token = timedToken(vault, signed(isTest ? TEST_BUTTON : BUTTON, { deliveryUuid, verb }), now);
    return { verb, label: BUTTON_LABELS[verb], token, url: buttonAddress(root, deliveryUuid, verb, token) };
  });
}

/** What the button belongs to. Null if it was made up or has expired. Asks no database. */
export function buttonKind(
  vault: Pick<Vault, 'isSigned'>,
  ref: ButtonRef,
  now: Instant,
): 'message' | 'test' | null {
  const rule = { now, span: BUTTON_SPAN, ...(ref.digits !== undefined && { digits: ref.digits }) };
  if (isTimedToken(vault, ref.token, signed(BUTTON, ref), rule)) return 'message';
  return isTimedToken(vault, ref.token, signed(TEST_BUTTON, ref), rule) ? 'test' : null;
}

function signed(purpose: string, { deliveryUuid, verb }: Pick<ButtonRef, 'deliveryUuid' | 'verb'>): Signed {
  return { purpose, subject: (time) => `${deliveryUuid} ${verb} ${time}` };
}
