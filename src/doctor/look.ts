import { type Finding, VERDICTS } from '../domain/finding.ts';

/** A finding without the name of its row. */
export type Look = Omit<Finding, 'name'>;

export function ok(sentence: string): Look {
  return { verdict: 'ok', sentence, advice: null };
}

export function warn(sentence: string, advice: string | null = null): Look {
  return { verdict: 'warn', sentence, advice };
}

export function fail(sentence: string, advice: string | null = null): Look {
  return { verdict: 'fail', sentence, advice };
}

export function skip(sentence: string, advice: string | null = null): Look {
  return { verdict: 'skip', sentence, advice };
}

/** All troubles in one look, the worst first. Without any, all is well. */
export function together(troubles: readonly (Look | null)[], allWell: string): Look {
  const found = troubles
    .filter((trouble) => trouble !== null)
    .toSorted((one, other) => VERDICTS.indexOf(other.verdict) - VERDICTS.indexOf(one.verdict));
  const [worst] = found;
  if (worst === undefined) return ok(allWell);
  const advice = [...new Set(found.map((trouble) => trouble.advice).filter((text) => text !== null))];
  return {
    verdict: worst.verdict,
    sentence: found.map(({ sentence }) => sentence).join(' '),
    advice: advice.length === 0 ? null : advice.join(' '),
  };
}
