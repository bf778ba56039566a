import { doTask, givenToThread } from '../lib/thread-task.ts';
import type { Declaration } from '../services/provisioning/declaration.ts';
import type { FileFault } from './document.ts';
import { ProvisionFileError } from './located.ts';
import { parseProvisionFiles } from './parse.ts';
import type { FilePart } from './part.ts';
import type { ProvisionText } from './texts.ts';
import type { Variables } from './variables.ts';

export interface FilesToParse {
  readonly texts: readonly ProvisionText[];
  readonly variables: Variables;
  readonly part: FilePart;
}

/** Errors lose their class between threads. */
export type ParsedFiles = { readonly declaration: Declaration } | { readonly faults: readonly FileFault[] };

// Started by file.ts.
const toParse = givenToThread<FilesToParse>('toParse');
if (toParse !== null) await doTask(() => parsed(toParse));

function parsed({ texts, variables, part }: FilesToParse): ParsedFiles {
  try {
    return { declaration: parseProvisionFiles(texts, variables, part) };
  } catch (error) {
    if (error instanceof ProvisionFileError) return { faults: error.faults };
    throw error;
  }
}
