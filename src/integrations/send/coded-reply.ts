import { DELIVERED, type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import type { Reply } from '../kind/kind.ts';
import { classifyByStatus, isTaken, jsonOf } from './reply.ts';

/** A provider's codes in the body of an answer. It answers 200 in any case. */
interface Codes {
  /** The name of the code in the body. It is 0 for a success. */
  readonly code: string;
  /** The name of the provider's words about it. */
  readonly words: string;
  /** Codes of a destination that will never take a message again. */
  readonly gone: readonly number[];
  /** Codes of a message that will never be taken, such as one with words that the provider does not allow. */
  readonly refused?: readonly number[];
  /** Codes of a provider that has got too much, and the seconds that it wants to be left alone. */
  readonly busy: readonly number[];
  readonly pause: number;
}

export function classifyByCode(names: Codes): (reply: Reply) => Outcome {
  return (reply) => {
    const { [names.code]: code, [names.words]: words } = jsonOf(reply);
    if (!isTaken(reply)) return classifyByStatus(reply, words);
    if (code === 0) return DELIVERED;
    if (typeof code !== 'number') return tryAgain('Received an answer without a code');
    const error = typeof words === 'string' ? `Received code ${code}: ${words}` : `Received code ${code}`;
    if (names.gone.includes(code)) return { kind: 'permanent', error };
    if (names.refused?.includes(code)) return { kind: 'refused', error };
    return tryAgain(error, names.busy.includes(code) ? names.pause : null);
  };
}
