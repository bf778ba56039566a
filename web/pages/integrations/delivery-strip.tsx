import { m } from '../../messages/index.ts';
import type { Channel } from './queries.ts';
import './delivery-strip.css';

/** Places of the strip. The server sends no more marks. */
const LENGTH = 20;

/** The latest deliveries as marks, the newest at the right. */
export function DeliveryStrip({ marks }: { readonly marks: Channel['strip'] }) {
  const words = m.integrations;
  const counts = Map.groupBy(marks, (mark) => mark);
  const label = words.strip(
    [...counts].map(([mark, found]) => words.markCount(found.length, words.marks[mark])),
  );
  const places = [...Array<null>(Math.max(0, LENGTH - marks.length)).fill(null), ...marks];
  return (
    <span role="img" aria-label={label} title={label} className="delivery-strip">
      {places.map((mark, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a mark is its place
        <i key={place} data-mark={mark ?? 'none'} />
      ))}
    </span>
  );
}
