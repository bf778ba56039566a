import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { m } from '../messages/index.ts';
import { Button } from './button.tsx';

const COPIED_FOR_MS = 1_600;

/** Copies a text, says so for a moment, and announces it. */
export function CopyButton({
  text,
  label = m.controls.copy,
  size = 'medium',
  kind = 'plain',
  className = '',
  onCopied,
}: {
  readonly text: string;
  readonly label?: string;
  readonly size?: 'small' | 'medium' | 'large';
  readonly kind?: 'plain' | 'primary';
  readonly className?: string;
  readonly onCopied?: () => void;
}) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), COPIED_FOR_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    const isCopied = await copyText(text);
    setState(isCopied ? 'copied' : 'failed');
    if (isCopied) onCopied?.();
  };
  const Icon = state === 'copied' ? Check : Copy;
  const words = { idle: label, copied: m.controls.copied, failed: m.controls.copyFailed };
  return (
    <Button size={size} kind={kind} className={className} onClick={() => void copy()}>
      <Icon className={`size-4 ${kind === 'plain' ? 'text-ink-3' : ''}`} />
      <span aria-live="polite">{words[state]}</span>
    </Button>
  );
}

/** Returns whether it is copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Pages without TLS have no clipboard, and the person may have forbidden it.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** A text to copy. It stays selectable. */
export function CopyField({
  label,
  text,
  shown = text,
}: {
  readonly label: string;
  readonly text: string;
  /** The text as it is shown, where parts of it are less important. */
  readonly shown?: ReactNode;
}) {
  return (
    <div className="flex min-h-8.5 max-md:min-h-11.5 items-stretch overflow-hidden rounded-control border border-line-2 bg-sunken">
      {/* What scrolls must be reached by the keyboard, and has a name. */}
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        aria-label={label}
        className="fade-end scrollbar-none flex min-w-0 flex-1 items-center overflow-x-auto px-2.5"
      >
        <code className="text-12 whitespace-nowrap">{shown}</code>
      </section>
      <CopyButton
        text={text}
        className="h-auto! rounded-none! border-0! border-l! border-line-2! shadow-none!"
      />
    </div>
  );
}
