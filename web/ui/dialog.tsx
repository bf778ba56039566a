import { X } from 'lucide-react';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { m } from '../messages/index.ts';
import { Button } from './button.tsx';

const SHAPES = {
  /** For one decision. */
  dialog: 'm-auto w-[min(440px,calc(100vw-32px))] rounded-card border border-line-2',
  /** For details: at the right edge, on phones at the foot. */
  sheet:
    'sheet mt-0 mr-0 mb-0 ml-auto h-dvh max-h-dvh w-[min(560px,100vw)] border-l border-line-2 max-md:mt-auto max-md:h-[78dvh] max-md:max-h-[78dvh] max-md:w-screen max-md:max-w-none max-md:rounded-t-card max-md:border-t max-md:border-l-0',
};

/** Where the focus begins: the first field, else a button that changes nothing. A space on the cross would close it. */
const FIRST = 'input:not([type="hidden"]), select, textarea, [data-changes-nothing]';

/**
 * The browser's own dialog: it keeps the focus, closes with Escape, and gives the focus back. `mustStay` holds it open
 * against Escape and clicks beside it, where something would be lost.
 */
export function Dialog({
  title,
  shape = 'dialog',
  mustStay = false,
  tools,
  onClose,
  children,
}: {
  readonly title: string;
  readonly shape?: keyof typeof SHAPES;
  readonly mustStay?: boolean;
  /** Stands before the button that closes it. */
  readonly tools?: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const id = useId();
  // Before the element leaves the page, so that the browser gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The browser would choose the cross, and React focuses fields before the dialog is open, in vain.
    (body.current?.querySelector<HTMLElement>(FIRST) ?? body.current)?.focus();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is beside the dialog, and Escape does the same
    <dialog
      ref={dialog}
      aria-labelledby={id}
      // At the second Escape browsers do not ask the page any longer.
      closedby={mustStay ? 'none' : 'closerequest'}
      onCancel={(event) => {
        // The page closes it by no longer showing it.
        event.preventDefault();
        if (!mustStay) onClose();
      }}
      onClick={(event) => {
        if (!mustStay && event.target === dialog.current) onClose();
      }}
      className={`max-w-none overflow-hidden bg-surface p-0 text-ink shadow-3 backdrop:bg-scrim ${SHAPES[shape]}`}
    >
      <div className="flex max-h-[inherit] min-h-0 flex-col">
        <header className="flex flex-none items-center gap-2 px-4 pt-3 pb-1 max-md:gap-3">
          <h2 id={id} className="min-w-0 flex-1 truncate text-14 leading-5">
            {title}
          </h2>
          {tools}
          {!mustStay && (
            <Button kind="ghost" size="smallIcon" aria-label={m.controls.close} onClick={onClose}>
              <X className="size-4" />
            </Button>
          )}
        </header>
        <div
          ref={body}
          tabIndex={-1}
          className="grid min-h-0 gap-3 overflow-y-auto px-4 pt-1 pb-4 outline-none"
        >
          {children}
        </div>
      </div>
    </dialog>
  );
}

/** The last line of a dialog: its buttons, the usual one last. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 pt-1">{children}</div>;
}
