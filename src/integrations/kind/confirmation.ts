import { firstCharacters } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';

/** The message to a recipient before the first alert. The person who asks for it chooses nothing in it. */
export interface CodeMessage {
  readonly siteName: string;
  readonly code: string;
  /** The name of this message. Providers take a message of the same name only once. */
  readonly id: string;
}

const MAX_SITE_NAME = 40;

/** The code in words that fit into one SMS. */
export function codeText({ siteName, code }: CodeMessage): string {
  const name = firstCharacters(oneLine(siteName), MAX_SITE_NAME);
  return `${code} is your code to get alerts of ${name} here. It is good for 15 minutes. If you did not ask for it, ignore it.`;
}
