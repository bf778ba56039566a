import { Radio } from 'lucide-react';
import { useEffect, useState } from 'react';
import { act } from '../app/act.ts';
import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';
import { tellError } from '../ui/toasts.tsx';

const SAID_FOR_MS = 1_600;

/** Sends a success to the check, and says so for a moment. For people who may ping. */
export function PingNow({
  check,
  size = 'medium',
}: {
  /** The UUID of the check, or its unique key. */
  readonly check: string;
  readonly size?: 'small' | 'medium';
}) {
  const [state, setState] = useState<'idle' | 'busy' | 'done'>('idle');
  useEffect(() => {
    if (state !== 'done') return;
    const timer = setTimeout(() => setState('idle'), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const ping = async () => {
    setState('busy');
    try {
      await act.pingCheck({ check });
      setState('done');
    } catch (error) {
      setState('idle');
      tellError(error instanceof Error ? error.message : String(error));
    }
  };
  const { actions } = m.check;
  return (
    <Button size={size} isBusy={state === 'busy'} onClick={() => void ping()}>
      <Radio className="size-4" strokeWidth={1.5} aria-hidden="true" />
      <span aria-live="polite">{state === 'done' ? actions.pinged : actions.pingNow}</span>
    </Button>
  );
}
