import { doTask, givenToThread } from '../lib/thread-task.ts';
import type { Declaration } from '../services/provisioning/declaration.ts';
import type { FileFault } from './document.ts';
import { ProvisionFileError } from './located.ts';
import { parseProvisionFile } from './parse.ts';

export interface FileToParse {
  readonly path: string;
  readonly content: string;
}

/** Errors lose their class between threads. */
export type ParsedFile = { readonly declaration: Declaration } | { readonly faults: readonly FileFault[] };

// Started by file.ts.
const toParse = givenToThread<FileToParse>('toParse');
if (toParse !== null) await doTask(() => parsed(toParse));

function parsed({ path, content }: FileToParse): ParsedFile {
  try {
    return { declaration: parseProvisionFile(path, content) };
  } catch (error) {
    if (error instanceof ProvisionFileError) return { faults: error.faults };
    throw error;
  }
}
