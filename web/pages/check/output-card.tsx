import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { m } from '../../messages/index.ts';
import { Card } from '../../ui/card.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { BodyView } from './body-view.tsx';
import { whatOf } from './ping-sheet.tsx';
import { pingQuery } from './queries.ts';
import { Skeletons } from './skeletons.tsx';

/** The output of the job that tells most about the present trouble. */
export function OutputCard({
  name,
  n,
  onOpen,
}: {
  readonly name: string;
  readonly n: number;
  readonly onOpen: (n: number) => void;
}) {
  const { data: ping, isError } = useQuery({
    ...pingQuery(name, n),
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (isError) return null;
  return (
    <Card
      title={m.check.output}
      lead={
        ping !== undefined && (
          <>
            {m.check.ping.title(ping.n, whatOf(ping))} · <ClockTime at={ping.at} />
          </>
        )
      }
      action={
        <button type="button" className="text-link max-md:min-h-11" onClick={() => onOpen(n)}>
          {m.check.outputOpen}
        </button>
      }
    >
      {ping === undefined ? <Skeletons /> : <BodyView name={name} ping={ping} words="" isShort />}
    </Card>
  );
}
