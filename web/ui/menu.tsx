import { createLink } from '@tanstack/react-router';
import {
  type ComponentProps,
  createContext,
  type KeyboardEvent,
  type ReactNode,
  use,
  useId,
  useRef,
  useState,
} from 'react';

const CloseMenu = createContext<() => void>(() => {});

const GAP = 4;
const EDGE = 8;

/**
 * A button with a menu below it. The browser's own popover closes it with Escape and with a click elsewhere. The arrow keys,
 * Home and End go through its items, and a letter goes to the next one that begins with it.
 */
export function Menu({
  label,
  button,
  className,
  children,
}: {
  /** Names the button, if it shows no word. */
  readonly label?: string;
  readonly button: ReactNode;
  readonly className: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  // Long lists have a menu in each row: closed ones are not made.
  const [isOpen, setIsOpen] = useState(false);
  const items = () => [
    ...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]:not([disabled])') ?? []),
  ];

  const place = () => {
    const list = menu.current;
    const from = opener.current?.getBoundingClientRect();
    if (list === null || from === undefined) return;
    const { width, height } = list.getBoundingClientRect();
    const fitsBelow = from.bottom + GAP + height + EDGE <= innerHeight;
    // If there is no room at the right, the right edges meet.
    const fitsRight = from.left + width + EDGE <= innerWidth;
    list.style.left = `${Math.max(EDGE, fitsRight ? from.left : from.right - width)}px`;
    list.style.top = `${Math.max(EDGE, fitsBelow ? from.bottom + GAP : from.top - GAP - height)}px`;
    items()[0]?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = itemFor(event.key, items());
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    next.focus();
  };

  return (
    <>
      <button
        ref={opener}
        type="button"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={label}
        className={className}
      >
        {button}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onBeforeToggle={(event) => setIsOpen(event.newState === 'open')}
        onToggle={(event) => event.newState === 'open' && place()}
        className="m-0 max-h-[70dvh] max-w-[min(340px,calc(100vw-16px))] min-w-[180px] overflow-y-auto rounded-[10px] border border-line-2 bg-surface p-[5px] text-ink shadow-2"
      >
        {isOpen && <CloseMenu value={() => menu.current?.hidePopover()}>{children}</CloseMenu>}
      </div>
    </>
  );
}

/** The item to which a key leads from the one that has the focus. */
function itemFor(key: string, items: readonly HTMLElement[]): HTMLElement | undefined {
  const position = items.indexOf(document.activeElement as HTMLElement);
  switch (key) {
    case 'ArrowDown':
      return items[(position + 1) % items.length];
    case 'ArrowUp':
      return items.at(Math.max(position, 0) - 1);
    case 'Home':
      return items[0];
    case 'End':
      return items.at(-1);
    default: {
      const others = [...items.slice(position + 1), ...items.slice(0, position + 1)];
      const letter = key.toLowerCase();
      // A blank presses the item. The names of other keys are longer than a letter.
      if (letter.trim().length !== 1) return undefined;
      return others.find(({ textContent }) => textContent.trim().toLowerCase().startsWith(letter));
    }
  }
}

const ITEM =
  'flex w-full min-h-7.5 items-center gap-[9px] rounded-[6px] px-2 text-left text-13 hover:bg-hover focus-visible:bg-hover focus-visible:outline-offset-[-2px] disabled:opacity-45 max-md:min-h-11';

/** Something that the menu does. */
export function MenuItem({
  icon,
  isDangerous = false,
  isDisabled = false,
  onSelect,
  children,
}: {
  readonly icon?: ReactNode;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}) {
  const close = use(CloseMenu);
  return (
    <button
      type="button"
      role="menuitem"
      disabled={isDisabled}
      onClick={() => {
        close();
        onSelect();
      }}
      className={`${ITEM} ${isDangerous ? 'text-down' : ''}`}
    >
      {icon}
      {children}
    </button>
  );
}

/** A page that the menu leads to. */
export const MenuLink = createLink(function MenuLink({
  icon,
  isCurrent = false,
  children,
  href,
  onClick,
  ...rest
}: ComponentProps<'a'> & {
  readonly icon?: ReactNode;
  /** Whether the person is there already. */
  readonly isCurrent?: boolean;
}) {
  const close = use(CloseMenu);
  return (
    <a
      aria-current={isCurrent || undefined}
      {...rest}
      href={href}
      role="menuitem"
      onClick={(event) => {
        close();
        onClick?.(event);
      }}
      className={`${ITEM} ${isCurrent ? 'bg-ink/7' : ''}`}
    >
      {icon}
      {children}
    </a>
  );
});

/** A link to a page outside of the dashboard. */
export function MenuAnchor({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a href={href} role="menuitem" className={ITEM}>
      {children}
    </a>
  );
}

/** A line between groups of items, which screen readers do not read. */
export function MenuLine() {
  return <div aria-hidden="true" className="-mx-[5px] my-[5px] border-t border-line" />;
}
