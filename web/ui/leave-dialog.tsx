import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { m } from '../messages/index.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** Asks before changes are lost. Enter stays. */
export function LeaveDialog({
  isHeld,
  maySave,
  onSave,
  children,
}: {
  /** Whether there is something to lose. */
  readonly isHeld: () => boolean;
  readonly maySave: boolean;
  /** Saves. Returns whether it is saved. */
  readonly onSave: () => Promise<boolean>;
  /** The unsaved changes. */
  readonly children: ReactNode;
}) {
  const blocker = useBlocker({ shouldBlockFn: isHeld, enableBeforeUnload: isHeld, withResolver: true });
  if (blocker.status !== 'blocked') return null;
  const texts = m.controls.leave;
  return (
    <Dialog title={texts.title} onClose={blocker.reset}>
      {children}
      <div className="flex flex-wrap items-center gap-2 pt-1">
        <Button kind="ghost" onClick={blocker.proceed}>
          {texts.leave}
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
          {texts.saveAndLeave}
        </Button>
        <Button kind="primary" data-changes-nothing onClick={blocker.reset}>
          {texts.stay}
        </Button>
      </div>
    </Dialog>
  );
}
