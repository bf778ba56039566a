import type { Check } from '../../domain/check/check.ts';
import { type Caller, isAllowed } from '../../domain/people/permission.ts';
import { secretsMask } from '../../wire/secrets-mask.ts';

/**
 * Bodies of pings may tell the address of their check: a mail is sent to it, a script prints it. For readers who may
 * not know it, every text that quotes a body is masked, after it was decoded.
 */
export function addressMask(caller: Caller, { uuid }: Pick<Check, 'uuid'>): (text: string) => string {
  return isAllowed(caller, 'checks.view_addresses') ? (text) => text : secretsMask(uuid);
}
