import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';

interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Several views in one place. The arrow keys go from one to the next. */
export function Tabs<Name extends string>({
  label,
  tabs,
  open,
  onOpen,
  children,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly open: Name;
  readonly onOpen: (name: Name) => void;
  /** The view that is open. */
  readonly children: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const position = tabs.findIndex(({ name }) => name === open);
    const next = tabs[(position + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onOpen(next.name);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus();
  };
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        className="scrollbar-none flex min-w-0 gap-4.5 overflow-x-auto border-b border-line"
      >
        {tabs.map((tab) => {
          const isOpen = tab.name === open;
          return (
            <button
              key={tab.name}
              type="button"
              role="tab"
              id={`${id}-${tab.name}`}
              data-tab={tab.name}
              aria-selected={isOpen}
              aria-controls={`${id}-panel`}
              tabIndex={isOpen ? 0 : -1}
              onClick={() => onOpen(tab.name)}
              className={`py-2 text-12 max-md:h-11 max-md:min-w-11 font-medium whitespace-nowrap ${isOpen ? 'text-ink shadow-[inset_0_-2px_0_var(--ink)]' : 'text-ink-3'}`}
            >
              {tab.label}
            </button>
          );
        })}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open}`}>
        {children}
      </div>
    </div>
  );
}
