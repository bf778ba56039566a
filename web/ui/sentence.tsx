import { use } from 'react';
import { seconds as micros } from '../../src/lib/instant.ts';
import { ageText } from '../../src/lib/text/ages.ts';
import type { SentenceJson } from '../../src/views/board-json.ts';
import { now } from '../app/clock.ts';
import { ClockTime, PersonsTimes, Since } from './time.tsx';
import { scheduleBeside, shortTime, type TimeStyle } from './times.ts';

/** A name of more characters may need more than a line on a phone. */
const MAX_WHOLE = 32;

/** Keeps names with hyphens on one line. */
function WholeNames({ text }: { readonly text: string }) {
  return text.split(/(\S*-\S*)/).map((part, place) =>
    place % 2 === 1 && part.length <= MAX_WHOLE ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: it stands in its place
      <span key={place} className="whitespace-nowrap">
        {part}
      </span>
    ) : (
      part
    ),
  );
}

/** A sentence of the server. Its times are in the zone of the person and go on by themselves. */
export function Sentence({ parts }: { readonly parts: SentenceJson }) {
  const style = use(PersonsTimes);
  return parts.map((part, place) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: it stands in its place
    if (typeof part === 'string') return <WholeNames key={place} text={part} />;
    if ('schedule' in part) return scheduleBeside(part.schedule, part.tz, style);
    const key = `${place} ${part.at}`;
    return part.as === 'clock' ? <ClockTime key={key} at={part.at} /> : <Since key={key} at={part.at} />;
  });
}

/** A sentence as text, for names and titles. */
export function sentenceText(parts: SentenceJson, style: TimeStyle): string {
  const current = now();
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('schedule' in part) return scheduleBeside(part.schedule, part.tz, style);
      const at = Date.parse(part.at);
      if (part.as === 'clock') return shortTime(at, style, current);
      return ageText(micros((current - at) / 1_000));
    })
    .join('');
}

export function useSentenceText(parts: SentenceJson | undefined): string | undefined {
  const style = use(PersonsTimes);
  return parts && sentenceText(parts, style);
}
