import type { Table } from '../format.ts';

/**
 * Programs that look: at texts, folders, the machine. In none of these rows is an option that writes, runs another
 * program, waits for input for ever, or never ends; in those that are `&open` the program has none, in no system.
 *
 * Left out on purpose: `arch` (that of macOS runs its operands), `env` and `printenv` (they show what may be secret),
 * `hostname` (it sets), `less`, `more`, `man` (they run programs), `zcat` (it runs gzip).
 */
export const looking: Table = {
  rows: `
    reads :,true,false,echo,exit,return,break,continue,shift : &plain &open : text*
    reads cd : -LPe : read
    reads pwd,tty,logname,whoami,groups,id,nproc,uptime,which,type,uname :
      &open -aLPspnruGgfztvmoi --all --user --group --name --pretty --since --kernel-name --machine : text*
    reads command : &posix -vV+ : text*
    reads basename : &open -a -s:text -z --multiple --suffix:text --zero : text*
    reads dirname : &open -z --zero : text*
    reads expr,seq,numfmt,tsort,pathchk :
      &open -w -s:text -f:text --separator:text --format:text --equal-width --to:text --from:text --field:text --suffix:text
      --padding:number -pP -# : text*
    reads tr : &open -cCdst --delete --squeeze-repeats --complement --truncate-set1 : text*
    reads printf : &posix &builtin : format text*
    reads [,test : &plain &builtin : test*
    reads [[ : &plain &builtin : test*
    reads read : &builtin &posix -r -s -p:text -d:text -n:number -N:number -t:number -u:number : variable*
    reads wait : &builtin -n : text*
    reads sleep : : seconds
    reads date :
      -uRjn -I?text -d:text -r:read --date:text --utc --universal --iso-8601?text --rfc-3339:text --rfc-email --reference:read
      -v:text : date
    reads ps : -Aef -p:number -u:text : processes
    reads free : -bkmght --human --total --mebi --gibi --wide :
    reads df : &open -hHklaiPTmg -t:any -x:any --human-readable --total --output?text --type:text --exclude-type:text --inodes : read*

    reads cat : &open -AbeEnstTuv --show-all --number --number-nonblank --squeeze-blank --show-ends --show-tabs --show-nonprinting : read*
    reads tac : &open -br -s:text --before --regex --separator:text : read*
    reads rev : &open -0 : read*
    reads head : &open -n:number -c:number -qvz -# --lines:number --bytes:number --quiet --silent --verbose --zero-terminated : read*
    reads tail : -n:number -c:number -qvzr -# -b:number --lines:number --bytes:number --quiet --silent --verbose --zero-terminated : read*
    reads nl : &open -b:text -n:text -w:number -s:text -v:number -i:number -p --body-numbering:text --number-format:text --number-width:number --number-separator:text : read*
    reads wc : &open &outline -clmwL --bytes --chars --lines --words --max-line-length --total:text : read*
    reads cut : &open -b:text -c:text -d:text -f:text -nsz --bytes:text --characters:text --delimiter:text --fields:text --output-delimiter:text --only-delimited --complement --zero-terminated : read*
    reads paste : &open -d:text -sz --delimiters:text --serial --zero-terminated : read*
    reads join : &open -1:number -2:number -j:number -t:text -o:text -a:number -v:number -e:text -iz --header --check-order --nocheck-order : read*
    reads comm : &open -123iz --output-delimiter:text --total --check-order --nocheck-order : read*
    reads column : &open -tnexJLR -s:text -c:number -o:text -N:text -H:text -T:text -E:text --table --separator:text --output-separator:text --table-columns:text --json : read*
    reads fold,fmt,expand,unexpand : &open -bscua -w:number -t:any -p:any -# --width:number --spaces --bytes --tabs:text --initial --all --first-only : read*
    reads sort :
      -bdfghiMnrRVcCmsuz -k:text -t:text -S:text --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort
      --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --version-sort --sort:text
      --check?text --merge --stable --unique --zero-terminated --key:text --field-separator:text --parallel:number
      --buffer-size:text --batch-size:number : read*
    reads uniq : &posix -cdDiuz -f:number -s:number -w:number --count --repeated --all-repeated?text --group?text --ignore-case --unique --skip-fields:number --skip-chars:number --check-chars:number --zero-terminated : read
    reads base32,base64,basenc : -diD -w:number --decode --ignore-garbage --wrap:number : read*
    reads od,hexdump : &open -abcCdfhiloxsvX -A:any -j:any -N:any -n:number -s:any -t:any -w?number -e:any -f:read --address-radix:text --skip-bytes:text --read-bytes:text --format:text --width?number --output-duplicates --canonical --length:number --no-squeezing : read*
    # What stands behind its file is written, even if it looks like an option; with some systems' uniq too.
    reads xxd : &posix -abCceEipru -c:number -g:number -l:number -s:number -o:number -n:text : read
    reads strings : -a -n:number -t:module -f -# --all --bytes:number --radix:module --print-file-name : module*
    reads md5sum,sha1sum,sha224sum,sha256sum,sha384sum,sha512sum,b2sum,shasum,cksum,sum,md5 : &open -btzrs -a:text -l:number --binary --text --tag --zero --algorithm:text --length:number : read*
    reads cmp : &open -blsn -i:text -n:number --print-bytes --verbose --silent --quiet --bytes:number --ignore-initial:text : read*
    reads diff : @diff : read*
    contained diff : @diff -r~ --recursive~ : read*

    reads ls :
      &open -aAbBcCdfFgGhHiIklLmnNopqQrRsStuUvwxXZ1e -I:any -w:number -T:number --all --almost-all --author --block-size:text --color?text --directory --classify?text
      --file-type --format:text --full-time --group-directories-first --no-group --human-readable --si --dereference --inode
      --indicator-style:text --ignore:text --hide:text --reverse --recursive --size --sort:text --time:text --time-style:text
      --width:number --zero --numeric-uid-gid --literal --quote-name --hyperlink?text --kibibytes : read*
    reads stat : &open &outline -Lqrsnxl -c:text -f:any -t:any --format:text --printf:text --dereference --file-system --terse : read*
    reads du : &open -0abcDhHklLmPsSxA -d:number -t:any -B:any -I:any -X:read --all --apparent-size --bytes --total --max-depth:number --human-readable --si --summarize --separate-dirs --threshold:text --time?text --exclude:text --exclude-from:read --one-file-system --inodes --block-size:text --dereference --count-links --null : read*
    reads realpath,readlink : &open -efmnsqzLP -q --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --relative-to:read --relative-base:read --no-symlinks --strip --quiet --zero --logical --physical : read*
    reads file : &outline -bhikLNnrv0 --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going --raw --print0 --no-pad --extension : read*
    reads tree : -acdDfFghilJnNpqQrsStuUvxX -L:number -P:text -I:text -C -H:text -T:text --dirsfirst --filesfirst --noreport --prune --gitignore --matchdirs --ignore-case --du --si --inodes --device --sort:text --filelimit:number --charset:text --fromfile --metafirst --info : read*

    reads grep,egrep,fgrep : &open @grep : text read*
    contained grep,egrep,fgrep : &open @grep -R~ --dereference-recursive~ : text read*
    reads rg :
      @rg --files+ --type-list+ : read*
    reads rg :
      @rg -e:text^ -f:read^ --regexp:text^ --file:read^ : text read*
    contained rg : @rg -e:text^ -f:read^ -L --follow --regexp:text^ --file:read^ : text read*
    reads fd,fdfind :
      -HIuaspLFgi0q1 -t:text -e:text -E:text -d:number -c:text -S:text -j:number --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive
      --ignore-case --glob --regex --fixed-strings --absolute-path --follow --full-path --print0 --max-depth:number
      --min-depth:number --exact-depth:number --exclude:text --type:text --extension:text --size:text --changed-within:text --changed-before:text
      --color:text --max-results:number --one-file-system --prune --quiet --strip-cwd-prefix --and:text --search-path:read --base-directory:read -1 : text read*
    reads find :
      &words -H -P -E -X -d -s -x -a -and -amin:number -anewer:read -atime:number -cmin:number -cnewer:read -ctime:number -daystart -depth -empty
      -executable -false -fstype:text -group:text -ilname:text -iname:text -inum:number -ipath:text -iregex:text -iwholename:text
      -links:number -lname:text -ls -maxdepth:number -mindepth:number -mmin:number -mount -mtime:number -name:text -newer:read -newermt:text
      -nogroup -not -nouser -o -or -path:text -perm:mode -print -print0 -printf:text -prune -quit -readable -regex:text
      -regextype:text -samefile:read -size:number -true -type:text -uid:number -gid:number -used:number -user:text -wholename:text
      -writable -xdev -xtype:text -warn -nowarn -noleaf -ignore_readdir_race -noignore_readdir_race : read*
    works find : &folder @find : write*

    reads sed : -nErsuz -e:sed^ --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --expression:sed^ : sed read*
    works sed : -nErsuz -e:sed^ --expression:sed^ --quiet --silent --regexp-extended --separate --unbuffered --null-data !-i?text !--in-place?text !-f:code^ !--file:code^ : sed write*
    reads awk,gawk,mawk,nawk,original-awk : &posix -F:text -v:assign --csv --posix --traditional --re-interval : awk read*
    works awk,gawk,mawk,nawk,original-awk : &posix -F:text -v:assign !-f:program^ : awk read*
    reads jq :
      -acCeMnrRsSj --arg:text,text --argjson:text,text --slurpfile:text,read --rawfile:text,read --indent:number --tab --raw-output --raw-input --compact-output
      --color-output --monochrome-output --ascii-output --sort-keys --slurp --null-input --exit-status --join-output --seq --stream : jq read*
    reads tee : -aip --append --ignore-interrupts --output-error?text : write*

    tells cmake,gcc,g++,cc,clang,bash,make : --version
    tells npm,perl,php,ruby,node : --version -v
    tells python,python3 : --version -V
    tells java : &words -version --version
  `,
  shared: {
    diff: `-abBcdeEiNnpqsTtuwyZ -C:number -U:number -F:text -I:text -x:text -X:read -W:number -S:text -L:text -# --brief --report-identical-files
      --context?number --unified?number --side-by-side --width:number --suppress-common-lines --show-c-function
      --new-file --exclude:text --exclude-from:read --ignore-case --ignore-tab-expansion --ignore-trailing-space
      --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines:text --text --strip-trailing-cr
      --minimal --speed-large-files --color?text --label:text --normal --no-dereference --from-file:read --to-file:read`,
    grep: `-abcEFGHhiIlLnoPqsTUuvwxyZz -r~ -e:text^ -f:read^ -A:number -B:number -C:number -m:number -d:text -D:text -# --after-context:number --before-context:number --context:number --binary-files:text
      --byte-offset --color?text --colour?text --count --devices:text --directories:text
      --exclude:text --exclude-dir:text --exclude-from:read --extended-regexp --file:read^ --files-with-matches --files-without-match --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --include:text
      --initial-tab --invert-match --label:text --line-buffered --line-number --line-regexp --max-count:number --no-filename --no-messages --null --null-data --only-matching --quiet --silent --recursive~
      --regexp:text^ --text --with-filename --word-regexp --include-dir:text`,
    rg: `-abcFhHiIlnNopPqsSUvwx0 -u~ -A:number -B:number -C:number -d:number -E:text -g:text -j:number -m:number -M:number -r:text -t:text -T:text
      --after-context:number --before-context:number --context:number --max-depth:number --encoding:text --glob:text --iglob:text --threads:number
      --max-count:number --max-columns:number --replace:text --type:text --type-not:text --type-add:text --sort:text --sortr:text --color:text
      --colors:text --count --count-matches --column --no-column --case-sensitive --ignore-case --smart-case --fixed-strings --files-with-matches
      --files-without-match --hidden~ --no-hidden --no-heading --heading --ignore-file:read --invert-match --json --line-number
      --no-line-number --line-regexp --word-regexp --multiline --multiline-dotall --no-filename --with-filename --no-ignore --no-ignore-vcs
      --no-ignore-parent --no-ignore-dot --no-ignore-global --no-messages --no-config --null --null-data --only-matching --passthru --pcre2 --pretty
      --quiet --stats --text --trim --unrestricted~ --vimgrep --binary --crlf --byte-offset --no-require-git --one-file-system --max-filesize:text
      --no-unicode --sort-files --path-separator:text --line-buffered --auto-hybrid-regex --engine:text --context-separator:text --field-match-separator:text`,
    find: `&words -name:text -iname:text -path:text -ipath:text -wholename:text -regex:text -type:text -maxdepth:number -mindepth:number -mtime:number -mmin:number -empty
      -size:number -newer:read -not -o -a -prune -print -print0 -depth -user:text -group:text -perm:mode -links:number -xdev !-delete !-fprint:write
      !-fprint0:write !-fprintf:write,text !-fls:write`,
  },
};
