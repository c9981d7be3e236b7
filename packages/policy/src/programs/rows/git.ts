import type { Table } from '../format.ts';

/**
 * Git. What a repository's settings make it run (a file monitor, a filter, an external diff) does no harm where a
 * sandbox lets nothing be changed and nobody be reached; so nearly all that reads is `contained`. What reads and looks
 * up no object and no index `reads` everywhere.
 */
export const git: Table = {
  rows: `
    reads git : --no-pager -P --no-optional-locks --literal-pathspecs --version --help --no-advice !-C:read !-c:code !--git-dir:code !--work-tree:code : sub
    tells git rev-parse : --show-toplevel --show-prefix --show-cdup --is-inside-work-tree --is-inside-git-dir --git-dir
    tells git branch : --show-current

    quiet git log,shortlog,rev-list : &wide @history : read*
    quiet git branch : -arv --all --remotes --list --show-current -i --ignore-case --no-column --no-color --sort:text --merged --no-merged --contains --no-contains :
    quiet git tag : -l --list --sort:text --no-column --no-color :
    quiet git stash list : :
    quiet git worktree list : --porcelain -z :
    quiet git remote : -v --verbose :
    quiet git remote get-url : --push --all : text
    quiet git ls-files : -csztH --cached --stage --full-name --error-unmatch --eol : read*
    quiet git ls-tree : -rdtlz --long --name-only --name-status --full-name --full-tree --abbrev?number : read*
    quiet git rev-parse,merge-base,name-rev,show-ref : -qsd --verify --short?number --abbrev-ref?text --symbolic-full-name --symbolic --git-path:text --git-dir --git-common-dir --absolute-git-dir --show-toplevel --show-prefix --show-cdup --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-ancestor --all --octopus --fork-point --tags --heads --branches --name-only --remotes?text : read*
    quiet git describe : --tags --always --abbrev?number --long --all --match:text --exclude:text --exact-match --contains --first-parent : read*
    quiet git config : --get : setting

    contained git annotate,blame : &wide -bltfswcepn -L:text -C?text -M?text -S:read --show-email --show-name --show-number --root --porcelain --line-porcelain --incremental --since:text --date:text --abbrev:number --ignore-rev:text --first-parent --reverse --color-lines --color-by-age : read*
    contained git cat-file : -tspe --batch-check : read*
    contained git check-attr : -az --all --cached --source:text : read*
    contained git check-ignore : -qvnz --quiet --verbose --non-matching --no-index : read*
    contained git cherry,count-objects,merge-base,name-rev,var,show-ref,for-each-ref,describe,rev-parse,show-branch,ls-tree,ls-files :
      -asvdtrlzcdoimkuqhHn -x:text -X:read --all --tags --abbrev?number --long --always --dirty?text --contains:text --match:text --exclude:text --first-parent --candidates:number
      --exact-match --is-ancestor --fork-point --octopus --independent --name-only --refs:text --undefined --heads --branches --verify --hash?number --quiet
      --format:text --sort:text --count:number --merged?text --no-merged?text --points-at:text --short?text --symbolic --symbolic-full-name --abbrev-ref?text
      --show-toplevel --show-prefix --show-cdup --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --git-dir --git-common-dir --absolute-git-dir
      --git-path:text --path-format:text --end-of-options --remotes?text --full-name --full-tree --name-status --cached --stage --deleted --modified --others
      --ignored --exclude-standard --unmerged --killed --directory --no-empty-directory --error-unmatch --with-tree:text --eol --deduplicate --since:text --until:text --human-readable -C : read*
    contained git diff,diff-files,diff-index,diff-tree : &wide @diff -rtvm --root --pretty?text --no-commit-id --always : read*
    contained git log,show,rev-list,shortlog,whatchanged : &wide @log @diff : read*
    contained git reflog : @log @diff :
    contained git reflog show : @log @diff : read*
    contained git range-diff : @diff --creation-factor:number --no-dual-color --left-only --right-only : read*
    contained git grep : &wide -nHhilLcvwoEGFPpWzqaI -e:text^ -A:number -B:number -C:number -m:number -# --cached --untracked --line-number --column --count --files-with-matches --name-only --files-without-match --ignore-case --word-regexp --invert-match --max-depth:number --and --or --not --all-match --extended-regexp --fixed-strings --perl-regexp --break --heading --show-function --function-context --color?text --no-color --threads:number --full-name --only-matching --quiet --context:number --after-context:number --before-context:number --exclude-standard --no-exclude-standard : text read*
    contained git status : &wide -sbuvz -u?text --short --branch --show-stash --porcelain?text --long --verbose --untracked-files?text --ignore-submodules?text --ignored?text --column?text --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?number : read*
    contained git stash list : @log @diff : read*
    contained git stash show : @diff -u --include-untracked --only-untracked : read*
    contained git worktree list : -v --porcelain --verbose -z :
    contained git submodule status : --cached --recursive : read*
    contained git remote get-url : --push --all : text
    contained git remote : -v --verbose :
    contained git branch : -arvq --all --remotes --verbose --show-current --abbrev:number @looks -l+ --list+ --contains+ --no-contains+ --merged+ --no-merged+ --points-at+ : text*
    contained git tag : -n?number @looks -l+ --list+ --contains+ --no-contains+ --merged+ --no-merged+ --points-at+ : text*
    contained git config : --get : setting
    contained git config get : : setting

    works git add : &wide -AufnvN --all --update --force --dry-run --verbose --intent-to-add --ignore-errors --no-all --renormalize --refresh : read*
    works git commit : &wide -m:text -avqns -F:read --message:text --file:read --all --amend --no-edit --no-verify --allow-empty --allow-empty-message --signoff --author:text --date:text --fixup:text --squash:text -C:text --reuse-message:text --dry-run --quiet --verbose --reset-author --cleanup:text --trailer:text --no-gpg-sign --only --include --short --porcelain : read*
    works git fetch : &wide -apqtvfn --all --prune --prune-tags --tags --no-tags --depth:number --deepen:number --unshallow --quiet --verbose --force --dry-run --jobs:number -j:number --shallow-since:text --progress --no-progress --multiple --set-upstream : remote*
    works git push : -uqvfdn --set-upstream --tags --follow-tags --force --force-with-lease?text --force-if-includes --delete --all --dry-run --quiet --verbose --porcelain --prune --atomic --no-verify --progress : remote*
    works git pull : &sweeps -qvfp --rebase?text --no-rebase --ff --ff-only --no-ff --no-commit --no-edit --autostash --no-autostash --quiet --verbose --prune --tags --depth:number --allow-unrelated-histories --progress : remote*
    works git clone : --depth:number -qvb:text --branch:text --single-branch --no-single-branch --no-checkout -n --quiet --verbose --progress --no-tags --shallow-since:text -o:text --origin:text --bare --mirror -j:number --jobs:number : remote write
    works git init : &wide -qb:text --initial-branch:text --quiet --bare : write
    works git checkout,switch : &sweeps -bBcCqfmtdp --quiet --force --merge --detach --track?text --no-track --orphan:text --ours --theirs --create:text --guess --no-guess --discard-changes --progress : any*
    works git restore : -SWq -s:text --staged --worktree --source:text --quiet --ours --theirs --merge : write*
    works git reset : &sweeps -qN --soft --mixed --hard --keep --merge --quiet --no-refresh : any*
    works git clean : &sweeps -fdnqxX -e:text --force --dry-run --quiet --exclude:text : write*
    works git stash : &sweeps -uaqkSm:text --include-untracked --all --quiet --keep-index --no-keep-index --staged --message:text : any*
    works git stash push : &wide &sweeps -uaqkSm:text --include-untracked --all --quiet --keep-index --no-keep-index --staged --message:text : write*
    works git stash pop,apply,drop,clear,save,branch,create,store : &wide &sweeps -q --quiet --index -m:text --message:text : text*
    works git merge : &sweeps -m:text -nqv --no-ff --ff --ff-only --squash --no-squash --commit --no-commit --no-edit --abort --continue --quit --message:text --quiet --verbose --stat --no-stat --allow-unrelated-histories --no-verify --autostash --no-autostash : text*
    works git rebase : &sweeps -qvfr --abort --continue --skip --quit --onto:text --quiet --verbose --stat --no-stat --autostash --no-autostash --autosquash --no-autosquash --root --keep-base --fork-point --no-verify --update-refs --rebase-merges?text --force-rebase --no-ff --committer-date-is-author-date : text*
    works git cherry-pick,revert : &sweeps -nxsm:number --no-commit --no-edit --abort --continue --skip --quit --signoff --mainline:number --allow-empty --ff : text*
    works git rm : -rfnq --cached --dry-run --force --quiet --ignore-unmatch : write*
    works git mv : -fknv --force --dry-run --verbose : write*
    works git branch : -dDmMcCfuqavr --delete --move --copy --force --set-upstream-to:text --unset-upstream --track?text --no-track --quiet : text*
    works git tag : -adfm:text -n?number --annotate --delete --force --message:text : text*
    works git remote add,remove,rm,rename,prune,set-head,show : -ftmn --tags --no-tags --fetch --auto --dry-run : remote*
    works git notes,sparse-checkout : : sub
    works git notes list,show : : text*
    works git gc,prune,fsck,pack-refs : &wide -q --quiet --auto --prune?text --full --strict --no-reflogs --unreachable --dangling --no-dangling --all :
    works git verify-commit,verify-tag : -v --verbose --raw : text*
    named git apply,am,read-tree,checkout-index : &sweeps -RvqN3 -p:number --check --stat --numstat --summary --index --cached --reverse --3way --verbose --abort --continue --skip : read*
    named git worktree add,remove,move : -fqdb:text -B:text --force --detach --quiet --checkout --no-checkout --lock : write*
    named git config : : code*
    named git submodule update,init,add,sync,deinit,set-url,set-branch : &sweeps : code*
  `,
  shared: {
    // Without differences of contents, which programs of the repository may be asked to show.
    history: `-n:number -# -isgEFPz --max-count:number --skip:number --since:text --after:text --until:text --before:text --author:text --committer:text
      --grep:text --all-match --invert-grep --regexp-ignore-case --merges --no-merges --first-parent --all --branches?text --tags?text --remotes?text
      --reverse --topo-order --date-order --author-date-order --date:text --oneline --graph --decorate?text --no-decorate --abbrev-commit
      --no-abbrev-commit --format:text --pretty?text --parents --left-right --count --numbered --summary --email --name-only --name-status --stat?text
      --shortstat --numstat --diff-filter:text --follow --no-color --not`,
    looks: `-i --sort:text --format:text --column?text --no-column --color?text --no-color --ignore-case`,
    log: `-n:number -# -iEFPgzmctsenL:text --max-count:number --skip:number --since:text --after:text --until:text --before:text --author:text --committer:text
      --grep:text --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --merges --no-merges --first-parent --all --branches?text
      --tags?text --remotes?text --glob:text --exclude:text --not --reverse --topo-order --date-order --author-date-order --date:text
      --relative-date --oneline --graph --no-graph --decorate?text --no-decorate --format:text --pretty?text --abbrev-commit --no-abbrev-commit --abbrev?number
      --parents --children --left-right --left-only --right-only --cherry-pick --cherry-mark --cherry --boundary --walk-reflogs --follow
      --full-history --simplify-merges --simplify-by-decoration --dense --sparse --ancestry-path?text --source --no-walk?text --mailmap --no-mailmap
      --encoding:text --notes?text --no-notes --clear-decorations --decorate-refs:text --decorate-refs-exclude:text --cc --full-diff --log-size
      --count --summary --numbered --email --group:text --objects --disk-usage?text --min-parents:number --max-parents:number --no-show-signature
      --quiet --reflog --show-pulls --diff-merges:text`,
    diff: `-puszaRbwWBD -U:number -M?text -C?text -S:text -G:text -I:text -l:number -O:read -X?text --patch --no-patch --unified:number --raw --stat?text --numstat --shortstat
      --summary --compact-summary --dirstat?text --cumulative --name-only --name-status --patch-with-stat --patch-with-raw --minimal --patience --histogram
      --diff-algorithm:text --anchored:text --word-diff?text --word-diff-regex:text --color?text --no-color --color-words?text --color-moved?text --color-moved-ws:text --no-color-moved
      --no-renames --find-renames?text --find-copies?text --find-copies-harder --irreversible-delete --break-rewrites?text --diff-filter:text
      --pickaxe-all --pickaxe-regex --find-object:text --relative?text --no-relative --text --ignore-cr-at-eol --ignore-space-at-eol
      --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines:text --inter-hunk-context:number --function-context
      --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules?text --submodule?text --src-prefix:text --dst-prefix:text --no-prefix --default-prefix --line-prefix:text
      --ws-error-highlight:text --full-index --binary --check --cached --staged --merge-base --indent-heuristic --no-indent-heuristic --abbrev?number -#
      --ours --theirs --base -1 -2 -3 -0`,
  },
};
