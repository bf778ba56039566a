import { useQuery } from '@tanstack/react-query';
import { act } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText, Refusal } from '../../ui/error-text.tsx';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';

const words = m.integrations.sheet;

type Delivery = Answer<'channelDeliveries'>[number];

const SHAPES: Readonly<Record<Delivery['state'], Shape>> = {
  delivered: 'up',
  open: 'waiting',
  given_up: 'down',
  skipped: 'off',
};

interface Props {
  readonly project: string;
  readonly channel: string;
  readonly isWriter: boolean;
}

/** The latest deliveries with all their tries. */
export function Deliveries({ project, channel, isWriter }: Props) {
  const { data, error } = useQuery(query.channelDeliveries({ project, channel }));
  if (error !== null) return <ErrorText>{error.message}</ErrorText>;
  if (data === undefined) return <Skeleton className="h-30" />;
  if (data.length === 0) return <p className="text-13 text-ink-3">{words.noDeliveries}</p>;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p className="text-12 text-ink-3">{words.deliveriesLead}</p>
      <ol className="divide-y divide-line">
        {data.map((delivery) => (
          <DeliveryItem key={delivery.id} {...{ project, channel, isWriter, delivery }} />
        ))}
      </ol>
    </div>
  );
}

function DeliveryItem({ project, channel, isWriter, delivery }: Props & { readonly delivery: Delivery }) {
  const { id, check, status, state, created, nextAttempt: next, error, attempts } = delivery;
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-2.5 gap-y-0.5 py-2.5">
      <Glyph shape={SHAPES[state]} className="mt-0.5 size-4" />
      <p className="wrap-anywhere">
        <b className="font-medium">{check.name}</b> {words.went[status]}{' '}
        <span className="text-ink-3">
          <ClockTime at={created} />
        </span>
      </p>
      {state === 'given_up' && isWriter ? (
        <Retry {...{ project, channel, id }} check={check.name} />
      ) : (
        <span />
      )}
      <div className="col-start-2 text-12 wrap-anywhere text-ink-2">
        {words.states[state]}
        {attempts.length > 1 && ` · ${words.tries(attempts.length)}`}
        {error !== '' && ` · ${error}`}
        {next !== null && (
          <>
            {' · '}
            <span className="whitespace-nowrap">
              {words.nextTry} <ClockTime at={next} />
            </span>
          </>
        )}
        {attempts.length > 0 && <Tries attempts={attempts} />}
      </div>
    </li>
  );
}

function Tries({ attempts }: Pick<Delivery, 'attempts'>) {
  const { test } = m.integrations;
  return (
    <ol className="mt-1.5 grid gap-1.5 text-ink-3">
      {attempts.map(({ n, at, seconds, request, answer, error }) => (
        <li key={n} className="grid items-baseline gap-x-2.5 md:grid-cols-[auto_minmax(0,1fr)]">
          <span className="whitespace-nowrap tabular-nums">
            {words.attempt(n)} · <ClockTime at={at} hasSeconds /> ·{' '}
            {test.milliseconds(Math.round(seconds * 1_000))}
          </span>
          <span className="font-mono text-11 break-all">
            {[request, answer || error].filter((part) => part !== '').join(' → ')}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Retry({
  project,
  channel,
  id,
  check,
}: Omit<Props, 'isWriter'> & { readonly id: string; readonly check: string }) {
  const retry = useShownAct(act.retryDelivery, () => tell(words.retrying));
  return (
    <div className="grid justify-items-end gap-1">
      <Button
        size="small"
        aria-label={words.retryOf(check)}
        isBusy={retry.isBusy}
        onClick={() => retry.run({ project, channel, delivery: id })}
      >
        {words.retry}
      </Button>
      <Refusal error={retry.error} />
    </div>
  );
}
