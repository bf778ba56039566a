import { m } from '../../messages/index.ts';
import { sizeText } from '../../ui/size-text.ts';

/** Whether a number of this name counts bytes, such as `bytes_added`. */
const isSize = (name: string) => /(?:^|_)bytes(?:_|$)/.test(name);

/** A number that a job has reported, as people read it. */
export function numberText(name: string, value: number): string {
  return isSize(name) ? sizeText(value) : m.check.numbers.value(value);
}
