import type { Clock } from '../../lib/clock.ts';
import { MICROS_PER_SECOND, seconds } from '../../lib/instant.ts';
import type { Random } from '../../lib/random.ts';
import type { Vault } from '../../lib/vault.ts';

/** By clocks that may differ. */
const LIFETIME = seconds(600);
const RANDOM_BYTES = 8;
/** Hex digits. */
const SIGNATURE_LENGTH = 32;
const QUESTION = 'doctor question';
const ANSWER = 'doctor answer';

const NONCE = new RegExp(`^(\\d{1,12}-[0-9a-f]{${2 * RANDOM_BYTES}})-([0-9a-f]{${SIGNATURE_LENGTH}})$`);

type Signer = Pick<Vault, 'sign' | 'isSigned'>;

/** A name under which the service answers for a while. Whoever knows its secret can make one: nothing is stored. */
export function makeNonce(
  vault: Pick<Signer, 'sign'>,
  clock: Pick<Clock, 'now'>,
  random: Pick<Random, 'bytes'>,
): string {
  const second = Math.floor(clock.now() / MICROS_PER_SECOND);
  const subject = `${second}-${Buffer.from(random.bytes(RANDOM_BYTES)).toString('hex')}`;
  return `${subject}-${vault.sign(QUESTION, subject, SIGNATURE_LENGTH)}`;
}

export function isNonce(vault: Pick<Signer, 'isSigned'>, clock: Pick<Clock, 'now'>, nonce: string): boolean {
  const [, subject, signature] = NONCE.exec(nonce) ?? [];
  if (subject === undefined || signature === undefined) return false;
  const age = Math.abs(clock.now() - seconds(Number.parseInt(subject, 10)));
  return age <= LIFETIME && vault.isSigned(signature, QUESTION, subject, SIGNATURE_LENGTH);
}

/** Shows the asker that the one who answers has the same secret. */
export function proofOf(vault: Pick<Signer, 'sign'>, nonce: string): string {
  return vault.sign(ANSWER, nonce, SIGNATURE_LENGTH);
}

export function isProof(vault: Pick<Signer, 'isSigned'>, nonce: string, proof: string): boolean {
  return vault.isSigned(proof, ANSWER, nonce, SIGNATURE_LENGTH);
}
