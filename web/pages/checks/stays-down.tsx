import { now } from '../../app/clock.ts';
import { m } from '../../messages/index.ts';
import { ClockTime } from '../../ui/time.tsx';

/** What ends the outage, and whether anybody is told of it before. */
export function StaysDown({
  until,
  toldAgain,
  reminder,
}: {
  readonly until: 'ping' | 'success';
  readonly toldAgain: 'nobody' | 'nobody_else' | null;
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
        toldAgain && row.toldAgain[toldAgain]
      )}
    </>
  );
}
