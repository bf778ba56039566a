import { KindMark } from '../../ui/kind-mark.tsx';

const SIZES = {
  small: { tile: 'size-7 rounded-[7px] text-11', icon: 'size-[15px]' },
  large: { tile: 'size-10 rounded-[10px] text-13', icon: 'size-[20px]' },
} as const;

/** Stands for a kind. */
export function KindTile({
  kind: { kind, label },
  size = 'small',
  isOff = false,
}: {
  readonly kind: { readonly kind: string; readonly label: string };
  readonly size?: keyof typeof SIZES;
  readonly isOff?: boolean;
}) {
  const { tile, icon } = SIZES[size];
  return (
    <span
      aria-hidden="true"
      className={`grid flex-none place-items-center ${tile} ${
        isOff ? 'border border-line-2 text-ink-3' : 'bg-quiet-t text-ink-2'
      }`}
    >
      <KindMark {...{ kind, label }} className={icon} />
    </span>
  );
}
