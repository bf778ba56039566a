/** The place of a text that is on its way. It keeps the space, so that nothing jumps. */
export function Skeleton({ className = 'w-30' }: { readonly className?: string }) {
  return <span aria-hidden="true" className={`block h-2.5 rounded-[4px] bg-quiet-t ${className}`} />;
}
