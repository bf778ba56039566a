import { Radio } from 'lucide-react';
import { useEffect, useState } from 'react';
import { act } from '../app/act.ts';
import { useAct } from '../app/use-act.ts';
import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/form.tsx';

const SAID_FOR_MS = 1_600;

/**
 * Sends a success to the check, and says so for a moment. For people who may ping. A success of a check that is down is an
 * all-clear to others, so it asks before.
 */
export function PingNow({
  check,
  downName = null,
  size = 'medium',
}: {
  /** The UUID of the check, or its unique key. */
  readonly check: string;
  /** The name of the check if it is down. */
  readonly downName?: string | null;
  readonly size?: 'small' | 'medium';
}) {
  const [isSaid, setIsSaid] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const ping = useAct(act.pingCheck, () => setIsSaid(true));
  useEffect(() => {
    if (!isSaid) return;
    const timer = setTimeout(() => setIsSaid(false), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [isSaid]);
  const { actions } = m.check;
  return (
    <>
      <Button
        size={size}
        isBusy={ping.isBusy}
        onClick={() => (downName === null ? ping.run({ check }) : setIsAsking(true))}
      >
        <Radio className="size-4" />
        <span aria-live="polite">{isSaid ? actions.pinged : actions.pingNow}</span>
      </Button>
      {isAsking && downName !== null && (
        <ConfirmDialog
          title={actions.allClear.title(downName)}
          action={actions.allClear.send}
          run={() => act.pingCheck({ check })}
          done={() => setIsSaid(true)}
          onClose={() => setIsAsking(false)}
        >
          <p>{actions.allClear.lead}</p>
          <p className="mt-2">{actions.allClear.named}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
