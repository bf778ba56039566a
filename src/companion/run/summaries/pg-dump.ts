import { countOf, linesOf, numbersIn } from './reading.ts';
import type { Summarize } from './summary.ts';

/**
 * `pg_dump` says nothing where all goes well, unless it is asked by `--verbose`. A dump that goes to standard output passes us,
 * so that its size is known.
 */
export const pgDump: Summarize = ({ out, err }) => {
  const lines = linesOf(err.text);
  const isSilent = out.bytes === 0 && err.bytes === 0;
  const isKnown = isSilent || lines.some((line) => OWN.test(line)) || DUMP.test(out.text);
  if (!isKnown) return null;
  // Where the beginning is missing, some tables may be, too.
  const isCounted = lines.some((line) => /: reading user-defined tables$/.test(line));
  return numbersIn({
    tables: isCounted ? countOf(lines, /: dumping contents of table /) : undefined,
    bytes_total: out.bytes === 0 ? undefined : out.bytes,
    errors: countOf(lines, /^pg_dump(?:all)?: error: /),
  });
};

const OWN = /^pg_dump(?:all)?: /;
/** The beginning of a dump in the custom format, or the end of one in plain text. */
const DUMP = /^PGDMP|^-- PostgreSQL database (?:cluster )?dump complete$/m;
