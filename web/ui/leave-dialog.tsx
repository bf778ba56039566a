import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { m } from '../messages/index.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** Asks before something is lost. Enter stays. */
export function LeaveDialog({
  words = m.controls.leave,
  isHeld,
  maySave = true,
  onSave,
  children,
}: {
  readonly words?: Readonly<Record<keyof typeof m.controls.leave, string>>;
  /** Whether there is something to lose. */
  readonly isHeld: () => boolean;
  readonly maySave?: boolean;
  /** Saves. Returns whether it is saved. */
  readonly onSave: () => Promise<boolean>;
  /** What would be lost. */
  readonly children: ReactNode;
}) {
  const blocker = useBlocker({ shouldBlockFn: isHeld, enableBeforeUnload: isHeld, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog title={words.title} onClose={blocker.reset}>
      {children}
      <div className="flex flex-wrap items-center gap-2 pt-1">
        <Button kind="ghost" onClick={blocker.proceed}>
          {words.leave}
        </Button>
        <span className="flex-1" />
        <Button
          disabled={!maySave}
          onClick={() =>
            void onSave().then((isSaved) => {
              if (isSaved) blocker.proceed();
              else blocker.reset();
            })
          }
        >
          {words.saveAndLeave}
        </Button>
        <Button kind="primary" data-changes-nothing onClick={blocker.reset}>
          {words.stay}
        </Button>
      </div>
    </Dialog>
  );
}
