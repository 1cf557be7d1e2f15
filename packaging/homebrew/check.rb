# Load a rendered formula with a stand-in for Homebrew, hold it against the rules of its audit that need no network,
# and run its install with commands that only note what they are asked: check.rb FORMULA BINARY
require "pathname"
require "tmpdir"

# What a formula says of itself is kept; what it does is noted.
class Formula
  FIELDS = %i[desc homepage url sha256 license].freeze
  class << self
    attr_reader :said, :order, :needs, :tested

    def inherited(formula)
      super
      formula.instance_exec { @said, @order, @needs = {}, [], [] }
    end

    FIELDS.each do |field|
      define_method(field) do |value|
        @order << field
        @said[field] = value
      end
    end

    def depends_on(what)
      @order << :depends_on
      @needs << what
    end

    def test(&block)
      @order << :test
      @tested = block
    end

    def method_added(name)
      super
      @order << name if name == :install && @order
    end
  end

  attr_reader :ran, :testpath

  def initialize(prefix, binary)
    @prefix, @binary, @ran, @testpath = Pathname(prefix), binary, [], Pathname(prefix)/"test"
    [bin, man1, testpath].each(&:mkpath)
    (bin/"mcp-filesystem").make_symlink(Pathname(binary).realpath)
  end

  def bin = @prefix/"bin"
  def man1 = @prefix/"share/man/man1"
  def version = `#{@binary} --version`.split.last
  def std_cargo_args = ["--locked", "--root", @prefix.to_s, "--path", "."]
  def system(*command) = @ran << command
  def shell_output(command) = `#{command}`.tap { fails("#{command} ended with #{$?.exitstatus}") unless $?.success? }
  def fails(why) = abort(why)

  def generate_completions_from_executable(binary, *words, shells:)
    shells.each { |shell| fails("no completions for #{shell}") if shell_output("#{binary} #{words.join(' ')} #{shell}").empty? }
  end

  def assert_match(expected, text) = text.include?(expected) || fails("#{expected} is not in #{text}")
end

# The part of Homebrew's own module that the formula uses.
module Utils
  def self.safe_popen_read(*command) = IO.popen(command.map(&:to_s), &:read)
end

class Pathname
  def write(text) = File.write(to_s, text)
end

file, binary = ARGV
load file
formula, said = McpFilesystem, McpFilesystem.said
rules = {
  "the class is named after the file" => formula.name == File.basename(file, ".rb").split("-").map(&:capitalize).join,
  "every field is there" => Formula::FIELDS.all? { |field| said[field] },
  "fields are in the order of the style guide" => formula.order.reject { |f| f == :depends_on } == Formula::FIELDS + %i[install test],
  "dependencies come before install" => formula.order.rindex(:depends_on) < formula.order.index(:install),
  "desc has at most 80 characters" => said[:desc].length <= 80,
  "desc begins with a capital, without an article, and ends without a full stop" => said[:desc].match?(/\A(?!An? |The )[A-Z].*[^.]\z/),
  "desc does not begin with the name" => !said[:desc].downcase.start_with?("mcp-filesystem"),
  "homepage and url are https" => [said[:homepage], said[:url]].all? { |url| url.start_with?("https://") },
  "url is the archive of a tag" => said[:url].match?(%r{/archive/refs/tags/v\d+\.\d+\.\d+\.tar\.gz\z}),
  "sha256 has 64 hexadecimal digits" => said[:sha256].match?(/\A\h{64}\z/),
  "the license is an SPDX expression" => said[:license] == { any_of: ["MIT", "Apache-2.0"] },
  "rust is needed to build, and Linux" => formula.needs == [{ "rust" => :build }, :linux],
  "no placeholder is left" => !File.read(file).include?("@"),
}
broken = rules.reject { |_, holds| holds }.keys
abort(broken.join("\n")) unless broken.empty?
Dir.mktmpdir do |prefix|
  made = formula.new(prefix, binary)
  made.install
  abort("install does not build with cargo") unless made.ran == [["cargo", "install", *made.std_cargo_args]]
  abort("there is no manual page") unless (made.man1/"mcp-filesystem.1").read.include?(".TH mcp-filesystem")
  made.instance_exec(&formula.tested)
end
puts "#{rules.length} rules hold; install and test ran"
