import { Radio } from 'lucide-react';
import { useEffect, useState } from 'react';
import { act } from '../app/act.ts';
import { useAct } from '../app/use-act.ts';
import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';

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
  const [isSaid, setIsSaid] = useState(false);
  const ping = useAct(act.pingCheck, () => setIsSaid(true));
  useEffect(() => {
    if (!isSaid) return;
    const timer = setTimeout(() => setIsSaid(false), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [isSaid]);
  const { actions } = m.check;
  return (
    <Button size={size} isBusy={ping.isBusy} onClick={() => ping.run({ check })}>
      <Radio className="size-4" />
      <span aria-live="polite">{isSaid ? actions.pinged : actions.pingNow}</span>
    </Button>
  );
}
