import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useLiveState } from './live/live.ts';

const RETRY_MS = 10_000;

/**
 * Tries again while a failure is shown: after pauses, and at once when there is reason to hope, because the connection is
 * back or the person looks.
 */
export function useRecovery(tryAgain: () => Promise<unknown>): {
  readonly isTrying: boolean;
  readonly retry: () => void;
} {
  const [isTrying, setIsTrying] = useState(false);
  const { kind } = useLiveState();
  const kindBefore = useRef(kind);
  const retry = () => {
    if (isTrying) return;
    setIsTrying(true);
    void tryAgain().finally(() => setIsTrying(false));
  };
  const hope = useEffectEvent(() => {
    if (!document.hidden) retry();
  });
  useEffect(() => {
    const onHope = () => hope();
    const timer = setInterval(onHope, RETRY_MS);
    addEventListener('online', onHope);
    addEventListener('focus', onHope);
    document.addEventListener('visibilitychange', onHope);
    return () => {
      clearInterval(timer);
      removeEventListener('online', onHope);
      removeEventListener('focus', onHope);
      document.removeEventListener('visibilitychange', onHope);
    };
  }, []);
  useEffect(() => {
    if (kind === 'live' && kindBefore.current !== 'live') hope();
    kindBefore.current = kind;
  }, [kind]);
  return { isTrying, retry };
}
