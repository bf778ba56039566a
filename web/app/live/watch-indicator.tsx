import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, use } from 'react';
import type { WatchJson } from '../../../src/wire/dashboard/live-output.ts';
import { m } from '../../messages/index.ts';
import { PersonsTimes, useNow } from '../../ui/time.tsx';
import { shortTime, type TimeStyle } from '../../ui/times.ts';
import { query } from '../read.ts';
import type { LiveState } from './connection.ts';
import { useLiveState, useWatch } from './live.ts';

/** Shapes differ as colours do. */
const LOOKS = {
  well: { text: 'text-ink-2', dot: 'rounded-full bg-up-g ring-3 ring-up-g/20' },
  quiet: { text: 'text-ink-2', dot: 'rounded-full bg-quiet-g' },
  late: { text: 'text-late', dot: 'rotate-45 rounded-[1px] bg-late-g' },
  bad: { text: 'text-down', dot: 'rounded-[1px] bg-down-g' },
} as const;

interface Saying {
  readonly look: keyof typeof LOOKS;
  readonly title: string;
  readonly detail: ReactNode;
}

function useSaying(): Saying {
  const state = useLiveState();
  const watch = useWatch();
  const style = use(PersonsTimes);
  const today = useNow(60_000);
  const { data: session } = useSuspenseQuery(query.signedIn());
  return sayingOf(state, watch, session.account.isAdmin, style, today);
}

/** Whether the page is live, and whether somebody watches. It stands at the foot of the side bar. */
export function WatchIndicator() {
  const { look, title, detail } = useSaying();
  const { text, dot } = LOOKS[look];
  return (
    <div className="grid gap-[1px] p-2 text-12 text-ink-3 max-xl:justify-items-center">
      <b className={`flex items-center gap-[7px] font-medium ${text}`} title={title}>
        <i aria-hidden="true" className={`size-[7px] flex-none ${dot}`} />
        <span className="max-xl:sr-only">{title}</span>
      </b>
      <span className="max-xl:sr-only">{detail}</span>
    </div>
  );
}

/** The worst comes first: alerts that are not sent matter more than a page that is not live. */
function sayingOf(
  state: LiveState,
  watch: WatchJson | null,
  isAdmin: boolean,
  style: TimeStyle,
  today: number,
): Saying {
  if (state.kind === 'signed_out')
    return {
      look: 'late',
      title: m.live.signedOut,
      detail: (
        <button type="button" onClick={() => location.reload()} className="text-link underline">
          {m.live.signIn}
        </button>
      ),
    };
  if (state.kind === 'away')
    return {
      look: 'late',
      title: m.live.away,
      detail: m.live.asOf(shortTime(state.asOf, style, today)),
    };
  if (watch?.alerts_stopped_since)
    return {
      look: 'bad',
      title: m.live.stopped,
      detail: (
        <>
          {m.live.stoppedSince(shortTime(Date.parse(watch.alerts_stopped_since), style, today))}
          {isAdmin && (
            <>
              {' · '}
              <Link to="/admin/" className="text-link underline">
                {m.live.health}
              </Link>
            </>
          )}
        </>
      ),
    };
  const isLive = state.kind === 'live' || state.kind === 'polling';
  if (!isLive || watch === null) return { look: 'quiet', title: m.live.starting, detail: '\u00a0' };
  return {
    look: state.kind === 'live' ? 'well' : 'quiet',
    title: state.kind === 'live' ? m.live.watching : m.live.polling,
    detail:
      watch.swept_seconds_ago === null
        ? '\u00a0'
        : m.live.lastSweep(watch.swept_seconds_ago.toLocaleString(style.language)),
  };
}

/** On phones, where there is no side bar, it shows itself only in trouble. */
export function WatchNote() {
  const { look, title, detail } = useSaying();
  if (look !== 'late' && look !== 'bad') return null;
  const { text, dot } = LOOKS[look];
  return (
    <p className="flex items-center gap-2 border-b border-line bg-sunken px-4 py-2 text-12 text-ink-3 md:hidden">
      <i aria-hidden="true" className={`size-[7px] flex-none ${dot}`} />
      <b className={`font-medium ${text}`}>{title}</b>
      <span>{detail}</span>
    </p>
  );
}
