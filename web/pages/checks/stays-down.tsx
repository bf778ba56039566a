import { now } from '../../app/clock.ts';
import { m } from '../../messages/index.ts';
import { ClockTime } from '../../ui/time.tsx';

/** What ends the outage, and whether anybody is told of it before. */
export function StaysDown({
  until,
  isOver,
  reminder,
}: {
  readonly until: 'ping' | 'success';
  /** Somebody was told, and no message is on its way. */
  readonly isOver: boolean;
  /** When the person is reminded by mail. Null if they are not. */
  readonly reminder: string | null;
}) {
  const { row } = m.checks;
  return (
    <>
      {row.staysDown[until]}{' '}
      {reminder !== null && Date.parse(reminder) > now() ? (
        <>
          {row.reminded} <ClockTime at={reminder} />.
        </>
      ) : (
        isOver && row.toldNoMore
      )}
    </>
  );
}
