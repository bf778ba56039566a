import { m } from '../../messages/index.ts';
import type { Channel } from './queries.ts';

/** Places of the strip. The server sends no more marks. */
const LENGTH = 20;

const LOOKS = {
  delivered: 'h-3.5 border-t-2 border-bar-cap bg-bar-ok',
  retried: 'h-[9px] bg-late-g',
  given_up: 'h-3.5 bg-down-g',
  waiting: 'h-3.5 border border-late-g',
  skipped: 'h-[5px] bg-control',
  none: 'h-0.5 bg-line-2',
};

/** The latest deliveries as marks, the newest at the right. */
export function DeliveryStrip({ marks }: { readonly marks: Channel['strip'] }) {
  const words = m.integrations;
  const counts = Map.groupBy(marks, (mark) => mark);
  const label = words.strip(
    [...counts].map(([mark, found]) => words.markCount(found.length, words.marks[mark])),
  );
  const places = [...Array<null>(Math.max(0, LENGTH - marks.length)).fill(null), ...marks];
  return (
    <span role="img" aria-label={label} title={label} className="inline-flex h-3.5 items-end gap-0.5">
      {places.map((mark, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a mark is its place
        <i key={place} className={`w-1 rounded-[1px] ${LOOKS[mark ?? 'none']}`} />
      ))}
    </span>
  );
}
