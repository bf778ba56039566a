import { doTask, givenToThread } from '../lib/thread-task.ts';
import { type FileEntries, readProvisionText } from './parse.ts';
import type { FilePart } from './part.ts';
import type { ProvisionText } from './texts.ts';
import type { Variables } from './variables.ts';

export interface FilesToParse {
  /** Each with the number of lines in the files before it. */
  readonly texts: readonly (ProvisionText & { readonly before: number })[];
  readonly variables: Variables;
  readonly part: FilePart;
}

// Started by file.ts.
const toParse = givenToThread<FilesToParse>('toParse');
if (toParse !== null)
  await doTask<null, FileEntries>((tell) => {
    const { texts, variables, part } = toParse;
    // Each file is told by itself, so that this thread does not hold the entries of all.
    for (const text of texts) tell(readProvisionText(text, text.before, variables, part));
    return null;
  });
